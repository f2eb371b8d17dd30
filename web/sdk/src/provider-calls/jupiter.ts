/** A swap of Jupiter's program, as its own instruction says it. Accounts that come from a lookup table are `undefined`. */
export interface JupiterSwap {
  payer: string | undefined;
  /** The token accounts that the input leaves and the output enters. */
  source: string | undefined;
  destination: string | undefined;
  input: string | undefined;
  output: string | undefined;
  /** The token programs of input and output. */
  programs: (string | undefined)[];
  amount: bigint;
  /** The least output that the program lets pass, rounded down. */
  least: bigint;
  /** The fees of an operator, in basis points. */
  fees: number;
}

/** The instructions that are read: both swap an exact input, the second through token accounts of the program. */
const ROUTE = 'bb64facc31c4af14';
const SHARED_ROUTE = 'd19853937cfed8e9';
/** What both begin with: input, quoted output, slippage, the operator's fee, and a fee of a better price. */
const NUMBERS = 8 + 8 + 2 + 2 + 2;

const digitsOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The name of an instruction, in hex. */
export const nameOf = (data: Uint8Array): string => `0x${digitsOf(data.subarray(0, 8))}`;

/** Whether instructions of this name are read. */
export const isKnownSwap = (data: Uint8Array): boolean => [ROUTE, SHARED_ROUTE].includes(digitsOf(data.subarray(0, 8)));

/** What a known instruction says; `undefined` if it has too little for that. The accounts and the plan that follow are not read. */
export function readSwap(program: string, accounts: readonly (string | undefined)[], data: Uint8Array): JupiterSwap | undefined {
  const shared = nameOf(data) === `0x${SHARED_ROUTE}`;
  // A number says which of the program's accounts it goes through.
  const numbers = data.subarray(shared ? 9 : 8, (shared ? 9 : 8) + NUMBERS);
  const places = shared ? [1, 2, 5, 6, 7, 8, 9] : [0, 1, 2, 3, 4, 5, 6];
  if (numbers.length < NUMBERS || accounts.length <= Math.max(...places)) return undefined;
  const [payer, source, destination, input, output, ...programs] = places.map((place) => accounts[place]);
  // Another account for the output, or the program itself for none.
  const other = !shared && accounts.length > 7 && accounts[7] !== program;
  const view = new DataView(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const [slippage, fee, surplus] = [16, 18, 20].map((at) => view.getUint16(at, true)) as [number, number, number];
  const kept = BigInt(Math.max(10_000 - slippage, 0));
  return {
    payer, source, input, output, programs, destination: other ? accounts[7] : destination,
    amount: view.getBigUint64(0, true), least: (view.getBigUint64(8, true) * kept) / 10_000n, fees: fee + surplus,
  };
}
