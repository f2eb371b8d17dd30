import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

export const EVM_NATIVE = '0x0000000000000000000000000000000000000000';
export const SOLANA_NATIVE = '1'.repeat(32);

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

// Places where lists put the native coin as if it were a token: aggregator spellings and system contracts.
const NATIVE_SPELLINGS = new Set([
  EVM_NATIVE,
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000',
  '0x0000000000000000000000000000000000001010',
  '0x000000000000000000000000000000000000800a',
  SOLANA_NATIVE,
  // Twenty zero bytes on Tron.
  'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
]);

/** Prints an EVM address with its EIP-55 checksum. */
export function checksum(address) {
  const hex = address.slice(2).toLowerCase();
  const hash = keccak_256(new TextEncoder().encode(hex));
  let out = '0x';
  for (let i = 0; i < hex.length; i += 1) {
    const nibble = i % 2 === 0 ? hash[i >> 1] >> 4 : hash[i >> 1] & 15;
    out += nibble > 7 ? hex[i].toUpperCase() : hex[i];
  }
  return out;
}

/** The number of bytes a base58 text stands for, or -1 if it is not base58. */
function base58Length(text) {
  let value = 0n;
  for (const char of text) {
    const digit = BASE58.indexOf(char);
    if (digit < 0) return -1;
    value = value * 58n + BigInt(digit);
  }
  const zeros = text.length - text.replace(/^1+/, '').length;
  return zeros + Math.ceil(value.toString(16).length / 2) * (value > 0n ? 1 : 0);
}

/** Whether the text is an address of Tron: 25 bytes in base58, of which the first is its mark and the last four a checksum. */
function isTron(text) {
  if (base58Length(text) !== 25) return false;
  let value = 0n;
  for (const char of text) value = value * 58n + BigInt(BASE58.indexOf(char));
  const bytes = Uint8Array.from(value.toString(16).padStart(50, '0').match(/../g), (pair) => Number.parseInt(pair, 16));
  const sum = sha256(sha256(bytes.subarray(0, 21)));
  return bytes[0] === 0x41 && bytes.subarray(21).every((byte, at) => byte === sum[at]);
}

/** The address as it is printed in the catalog, or null when it is none of that family. */
export function canonical(family, address) {
  if (typeof address !== 'string') return null;
  const text = address.trim();
  if (family === 'evm') return /^0x[0-9a-f]{40}$/i.test(text) ? checksum(text) : null;
  if (family === 'tron') return isTron(text) ? text : null;
  // Bitcoin has no tokens.
  return family === 'solana' && base58Length(text) === 32 ? text : null;
}

/** True where a list means the native coin of the chain. */
export function isNative(address) {
  return NATIVE_SPELLINGS.has(address) || NATIVE_SPELLINGS.has(address.toLowerCase());
}

/** Sorts addresses without regard to case, and by case where nothing else differs. */
export function compareAddresses(a, b) {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  if (x !== y) return x < y ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
