/** A list of RLP items: bytes, or lists of them. */
export type Item = Uint8Array | Item[];

export function rlp(item: Item): Uint8Array {
  if (item instanceof Uint8Array) {
    return item.length === 1 && item[0]! < 0x80 ? item : concat([head(item.length, 0x80), item]);
  }
  const body = concat(item.map(rlp));
  return concat([head(body.length, 0xc0), body]);
}

function head(length: number, base: number): Uint8Array {
  if (length < 56) return Uint8Array.of(base + length);
  const size = bytesOf(BigInt(length));
  return concat([Uint8Array.of(base + 55 + size.length), size]);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The shortest bytes of a number, none for zero. */
export function bytesOf(number: bigint): Uint8Array {
  const digits = number.toString(16);
  return number === 0n ? new Uint8Array() : fromHex(digits.padStart(digits.length + (digits.length % 2), '0'));
}

export function fromHex(text: string): Uint8Array {
  const digits = text.replace(/^0x/, '');
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => parseInt(digits.slice(at * 2, at * 2 + 2), 16));
}

export const toHex = (bytes: Uint8Array): string => `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
