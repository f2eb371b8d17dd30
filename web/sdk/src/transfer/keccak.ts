const RATE = 136;
const LANE = (1n << 64n) - 1n;

const rotate = (lane: bigint, by: number): bigint => ((lane << BigInt(by)) | (lane >> BigInt(64 - by))) & LANE;

/** Keccak-256 of bytes in hex; the result is hex without a prefix. */
export function keccak256(hex: string): string {
  const bytes = (hex.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
  const padded = [...bytes, ...new Array<number>(RATE - (bytes.length % RATE)).fill(0)];
  padded[bytes.length] = 1;
  padded[padded.length - 1]! |= 0x80;
  const state = new Array<bigint>(25).fill(0n);
  for (let block = 0; block < padded.length; block += RATE) {
    for (let at = 0; at < RATE; at += 1) state[at >> 3]! ^= BigInt(padded[block + at]!) << BigInt(8 * (at & 7));
    permute(state);
  }
  const lane = (value: bigint) => value.toString(16).padStart(16, '0').match(/../g)!.reverse().join('');
  return state.slice(0, 4).map(lane).join('');
}

/** The 24 rounds of Keccak-f[1600], with offsets and round constants computed as in the standard. */
function permute(state: bigint[]): void {
  for (let round = 0, register = 1; round < 24; round += 1) {
    const sums = [0, 1, 2, 3, 4].map((x) => state[x]! ^ state[x + 5]! ^ state[x + 10]! ^ state[x + 15]! ^ state[x + 20]!);
    for (let at = 0; at < 25; at += 1) state[at]! ^= sums[(at + 4) % 5]! ^ rotate(sums[(at + 1) % 5]!, 1);
    for (let step = 1, x = 1, y = 0, moved = state[1]!; step < 25; step += 1) {
      [x, y] = [y, (2 * x + 3 * y) % 5];
      [moved, state[x + 5 * y]] = [state[x + 5 * y]!, rotate(moved, ((step * (step + 1)) / 2) % 64)];
    }
    for (let y = 0; y < 25; y += 5) {
      const row = state.slice(y, y + 5);
      for (let x = 0; x < 5; x += 1) state[y + x] = row[x]! ^ (~row[(x + 1) % 5]! & LANE & row[(x + 2) % 5]!);
    }
    for (let bit = 0; bit < 7; bit += 1) {
      if (register & 1) state[0]! ^= 1n << BigInt((1 << bit) - 1);
      register = (register << 1) ^ (register & 0x80 ? 0x171 : 0);
    }
  }
}
