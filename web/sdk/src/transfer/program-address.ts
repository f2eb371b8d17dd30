const PRIME = 2n ** 255n - 19n;

const power = (base: bigint, exponent: bigint): bigint => {
  let product = 1n;
  for (let [square, left] = [base % PRIME, exponent]; left > 0n; left >>= 1n, square = (square * square) % PRIME) {
    if (left & 1n) product = (product * square) % PRIME;
  }
  return product;
};

/** The constant of the curve: -121665/121666. */
const D = (-121_665n * power(121_666n, PRIME - 2n)) % PRIME + PRIME;

/** Whether 32 bytes are a point on ed25519, for which a private key may exist. */
function isPoint(bytes: Uint8Array): boolean {
  let y = 0n;
  for (const byte of [...bytes].reverse()) y = y * 256n + BigInt(byte);
  y &= 2n ** 255n - 1n;
  const [over, under] = [(y * y + PRIME - 1n) % PRIME, (D * y * y + 1n) % PRIME];
  // x² is `over / under`. It has a root if the quotient is a square, which is so exactly if the product is one.
  return power(over * under, (PRIME - 1n) / 2n) !== PRIME - 1n;
}

const bytesOf = (hex: string): number[] => (hex.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));

/** Encodes text as bytes of hex. */
export const textSeed = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The address that a Solana program derives from its seeds; all in hex without a prefix. */
export async function programAddress(seeds: string[], program: string): Promise<string> {
  const [before, after] = [bytesOf(seeds.join('')), bytesOf(program + textSeed('ProgramDerivedAddress'))];
  for (let bump = 255; bump >= 0; bump -= 1) {
    const bytes = [...before, bump, ...after];
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(bytes)));
    if (!isPoint(hash)) return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  throw new Error('The program address cannot be derived.');
}
