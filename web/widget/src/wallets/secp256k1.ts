import { fromHex, toHex } from './rlp.js';

/**
 * Signatures for the sandbox's well-known keys, and for nothing else: it takes no care to hide a key from whoever measures its time.
 * A library for real keys is four times the size.
 */
type Point = readonly [x: bigint, y: bigint] | undefined;

const P = 2n ** 256n - 2n ** 32n - 977n;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const G = [0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n, 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8n] as const;

const mod = (number: bigint, by: bigint) => ((number % by) + by) % by;

function inverse(number: bigint, by: bigint): bigint {
  let [a, b, x, y] = [mod(number, by), by, 1n, 0n];
  while (a > 1n) [a, b, x, y] = [b % a, a, y - (b / a) * x, x];
  return mod(x, by);
}

function add(a: Point, b: Point): Point {
  if (!a || !b) return a ?? b;
  if (a[0] === b[0] && a[1] !== b[1]) return undefined;
  const slope = mod(a[0] === b[0] ? 3n * a[0] * a[0] * inverse(2n * a[1], P) : (b[1] - a[1]) * inverse(b[0] - a[0], P), P);
  const x = mod(slope * slope - a[0] - b[0], P);
  return [x, mod(slope * (a[0] - x) - a[1], P)];
}

/** `times` is from 1 to N - 1, so that there is a point. */
function multiple(times: bigint): readonly [bigint, bigint] {
  let sum: Point;
  let step: Point = G;
  for (let rest = times; rest > 0n; rest >>= 1n) {
    if (rest & 1n) sum = add(sum, step);
    step = add(step, step);
  }
  return sum!;
}

const word = (number: bigint) => number.toString(16).padStart(64, '0');
const numberOf = (bytes: Uint8Array) => BigInt(toHex(bytes));

/** The public key of a key in hex: both coordinates, 64 bytes. */
export const publicKey = (key: string): Uint8Array => fromHex(multiple(BigInt(`0x${key}`)).map(word).join(''));

/** Signs a digest with a key in hex; the bytes are `r` and `s`, the lower of the two. */
export function sign(digest: Uint8Array, key: string): { bytes: Uint8Array; recovery: number } {
  for (;;) {
    const nonce = numberOf(crypto.getRandomValues(new Uint8Array(32))) % N;
    if (nonce === 0n) continue;
    const [x, y] = multiple(nonce);
    const r = x % N;
    const s = mod(inverse(nonce, N) * (numberOf(digest) + r * BigInt(`0x${key}`)), N);
    // One nonce in 2^128 would need another recovery number than 0 or 1.
    if (r !== x || r === 0n || s === 0n) continue;
    const isHigh = s > N / 2n;
    return { bytes: fromHex(word(r) + word(isHigh ? N - s : s)), recovery: Number(y & 1n) ^ Number(isHigh) };
  }
}
