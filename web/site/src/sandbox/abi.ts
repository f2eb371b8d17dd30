import { fromHex, toHex } from '../../../widget/src/wallets/rlp.js';
import { keccak256 } from '../../../widget/src/wallets/keccak.js';
import { CONTRACTS, type AbiItem, type AbiParameter } from 'causeway:contracts';

/** A decoded call or event: its name and its values in order. */
export interface Decoded {
  name: string;
  values: { name: string; type: string; value: Value }[];
}
export type Value = string | bigint | boolean | Value[] | { [name: string]: Value };

const typeOf = ({ type, components }: AbiParameter): string => (components ? `(${components.map(typeOf).join(',')})${type.slice(5)}` : type);
const hashOf = ({ name, inputs }: AbiItem): string => toHex(keccak256(new TextEncoder().encode(`${name}(${inputs.map(typeOf).join(',')})`)));

const functions = new Map<string, AbiItem>();
const events = new Map<string, AbiItem>();
for (const item of CONTRACTS) (item.type === 'event' ? events : functions).set(item.type === 'event' ? hashOf(item) : hashOf(item).slice(0, 10), item);

/** The function that an input calls, if it is one of ours or of a token. */
export function decodeCall(input: string): Decoded | undefined {
  const item = functions.get(input.slice(0, 10));
  if (!item) return undefined;
  try {
    return { name: item.name, values: named(item.inputs, decodeTuple(item.inputs, fromHex(input.slice(10)), 0)) };
  } catch {
    return undefined;
  }
}

export function decodeLog(topics: readonly string[], data: string): Decoded | undefined {
  const item = events.get(topics[0] ?? '');
  if (!item || item.inputs.filter(({ indexed }) => indexed).length !== topics.length - 1) return undefined;
  try {
    const plain = decodeTuple(item.inputs.filter(({ indexed }) => !indexed), fromHex(data.slice(2)), 0);
    const indexed = topics.slice(1);
    const values = item.inputs.map((input) => {
      if (!input.indexed) return plain.shift()!;
      const word = fromHex(indexed.shift()!.slice(2));
      // Only the hash of a dynamic value is in a topic.
      return isDynamic(input) || input.components ? toHex(word) : decodeWord(input.type, word);
    });
    return { name: item.name, values: named(item.inputs, values) };
  } catch {
    return undefined;
  }
}

const named = (inputs: readonly AbiParameter[], values: Value[]) => inputs.map((input, at) => ({ name: input.name || String(at), type: typeOf(input), value: values[at]! }));

function isDynamic({ type, components }: AbiParameter): boolean {
  if (type.endsWith('[]') || type === 'bytes' || type === 'string') return true;
  if (type.endsWith(']')) return isDynamic(elementOf({ type, components, name: '' }));
  return components?.some(isDynamic) ?? false;
}

const elementOf = (parameter: AbiParameter): AbiParameter => ({ ...parameter, type: parameter.type.replace(/\[\d*\]$/, '') });
const lengthOf = (type: string): number | undefined => (/\[(\d+)\]$/.exec(type) ? Number(/\[(\d+)\]$/.exec(type)![1]) : undefined);

/** Bytes that a static value takes. */
function sizeOf(parameter: AbiParameter): number {
  const count = lengthOf(parameter.type);
  if (count !== undefined) return count * sizeOf(elementOf(parameter));
  return parameter.components ? parameter.components.reduce((sum, one) => sum + (isDynamic(one) ? 32 : sizeOf(one)), 0) : 32;
}

const word = (bytes: Uint8Array, at: number): Uint8Array => {
  if (at + 32 > bytes.length) throw new RangeError('too short');
  return bytes.subarray(at, at + 32);
};
const numberAt = (bytes: Uint8Array, at: number): number => {
  const value = BigInt(toHex(word(bytes, at)));
  if (value > BigInt(bytes.length)) throw new RangeError('too long');
  return Number(value);
};

function decodeTuple(parameters: readonly AbiParameter[], bytes: Uint8Array, start: number): Value[] {
  let head = start;
  return parameters.map((parameter) => {
    const at = head;
    if (!isDynamic(parameter)) {
      head += sizeOf(parameter);
      return decodeAt(parameter, bytes, at);
    }
    head += 32;
    return decodeAt(parameter, bytes, start + numberAt(bytes, at));
  });
}

function decodeAt(parameter: AbiParameter, bytes: Uint8Array, at: number): Value {
  const { type, components } = parameter;
  if (type.endsWith(']')) {
    const fixed = lengthOf(type);
    const count = fixed ?? numberAt(bytes, at);
    return decodeTuple(Array.from({ length: count }, () => elementOf(parameter)), bytes, fixed === undefined ? at + 32 : at);
  }
  if (components) {
    const values = decodeTuple(components, bytes, at);
    return Object.fromEntries(components.map(({ name }, index) => [name || String(index), values[index]!]));
  }
  if (type === 'bytes' || type === 'string') {
    const length = numberAt(bytes, at);
    const content = bytes.subarray(at + 32, at + 32 + length);
    return type === 'string' ? new TextDecoder().decode(content) : toHex(content);
  }
  return decodeWord(type, word(bytes, at));
}

function decodeWord(type: string, bytes: Uint8Array): Value {
  const hex = toHex(bytes);
  if (type === 'address') return `0x${hex.slice(26)}`;
  if (type === 'bool') return bytes[31] === 1;
  if (type.startsWith('uint')) return BigInt(hex);
  if (type.startsWith('int')) return BigInt.asIntN(256, BigInt(hex));
  return hex.slice(0, 2 + 2 * Number(/^bytes(\d+)$/.exec(type)?.[1] ?? 32));
}
