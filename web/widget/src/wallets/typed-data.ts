import { keccak256 } from './keccak.js';
import { concat, fromHex } from './rlp.js';

type Fields = readonly { name: string; type: string }[];

/** Typed data by EIP-712, as wallets get it. */
export interface TypedData {
  domain: Record<string, unknown>;
  types: Record<string, Fields>;
  primaryType: string;
  message: Record<string, unknown>;
}

/** The digest that is signed. */
export function typedDataDigest({ domain, types, primaryType, message }: TypedData): Uint8Array {
  const all = { ...types, EIP712Domain: types['EIP712Domain'] ?? domainFields(domain) };
  return keccak256(concat([Uint8Array.of(0x19, 1), structHash(all, 'EIP712Domain', domain), structHash(all, primaryType, message)]));
}

function domainFields(domain: Record<string, unknown>): Fields {
  const known = { name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address', salt: 'bytes32' };
  return Object.entries(known).filter(([name]) => name in domain).map(([name, type]) => ({ name, type }));
}

function structHash(types: Record<string, Fields>, name: string, value: Record<string, unknown>): Uint8Array {
  const words = types[name]!.map((field) => word(types, field.type, value[field.name]));
  return keccak256(concat([keccak256(utf8(encodeType(types, name))), ...words]));
}

function encodeType(types: Record<string, Fields>, name: string): string {
  const used = new Set<string>();
  const visit = (type: string) => {
    const base = type.replace(/\[.*$/, '');
    if (!types[base] || used.has(base)) return;
    used.add(base);
    types[base]!.forEach((field) => visit(field.type));
  };
  visit(name);
  used.delete(name);
  return [name, ...[...used].sort()].map((one) => `${one}(${types[one]!.map((field) => `${field.type} ${field.name}`).join(',')})`).join('');
}

function word(types: Record<string, Fields>, type: string, value: unknown): Uint8Array {
  if (type.endsWith(']')) return keccak256(concat((value as unknown[]).map((one) => word(types, type.replace(/\[[^[]*$/, ''), one))));
  if (types[type]) return structHash(types, type, value as Record<string, unknown>);
  if (type === 'string') return keccak256(utf8(String(value)));
  if (type === 'bytes') return keccak256(fromHex(String(value)));
  if (type.startsWith('bytes')) return fromHex(String(value).replace(/^0x/, '').padEnd(64, '0'));
  const number = type === 'bool' ? BigInt(value === true) : BigInt(value as string);
  return fromHex(BigInt.asUintN(256, number).toString(16).padStart(64, '0'));
}

const utf8 = (text: string) => new TextEncoder().encode(text);
