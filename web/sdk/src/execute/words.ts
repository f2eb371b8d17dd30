const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The word of an order's terms for an address as people write it: 32 bytes in hex. Nothing where it is no address. */
export function word(address: string): string | undefined {
  if (/^0x[0-9a-f]{40}$/i.test(address)) {
    // Some write a chain's own coin like this; in terms it is zero.
    const digits = /^0xe{40}$/i.test(address) ? '' : address.slice(2).toLowerCase();
    return `0x${digits.padStart(64, '0')}`;
  }
  return base58(address);
}

/** Base58 of exactly 32 bytes. */
function base58(text: string): string | undefined {
  if (text.length < 32 || text.length > 44) return undefined;
  let number = 0n;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const hex = number.toString(16);
  return hex.length > 64 ? undefined : `0x${hex.padStart(64, '0')}`;
}
