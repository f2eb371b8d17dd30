const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Converts an EVM or Solana address to 32 bytes of hex, as in the terms of an order; `undefined` if it is not an address. */
export function toBytes32(address: string): string | undefined {
  if (/^0x[0-9a-f]{40}$/i.test(address)) {
    // A common placeholder for the native coin, which is zero in the terms.
    const digits = /^0xe{40}$/i.test(address) ? '' : address.slice(2).toLowerCase();
    return `0x${digits.padStart(64, '0')}`;
  }
  return decodeBase58(address);
}

/** Decodes base58 of exactly 32 bytes. */
function decodeBase58(text: string): string | undefined {
  if (text.length < 32 || text.length > 44) return undefined;
  let number = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const hex = number.toString(16);
  return hex.length > 64 ? undefined : `0x${hex.padStart(64, '0')}`;
}
