import { encodeWord } from '../execute/terms.js';
import { readArguments, type Argument } from './abi.js';

/** What a provider's call says. A field is absent where calls of its kind do not say it. Addresses are in lower case. */
export interface Said {
  payer?: string | undefined;
  /** The destination chain; `undefined` for a swap within the chain, too. */
  chain?: bigint | undefined;
  /** Whether the input is swapped on its chain. */
  swaps?: boolean;
  /** Whether another contract is called at the destination. */
  goesOn?: boolean;
  recipient?: string | undefined;
  /** What is taken from the caller, without an amount where that is the value of the call alone; `undefined` where other tokens are taken as well. */
  input?: { token: string; amount?: bigint } | undefined;
  output?: { token: string; least: bigint };
  /** Who may take the input, and which contract is called with it. */
  settler?: [string, string];
}

/** LI.FI's description of a call that goes to another chain, and one exchange on the source chain. */
const BRIDGE = '(bytes32,string,string,address,address,address,uint256,uint256,bool,bool)';
const SWAP = '(address,address,address,address,uint256,bytes,bool)';

/**
 * The functions of LI.FI's bridges that are held to the recipient of the description by the contract itself: without and with exchanges
 * on the source chain, and the bridge's own argument (`src/Facets` in github.com/lifinance/contracts as of 2026-08-21).
 */
const BRIDGES: [string, string, string][] = [
  // Across, in two versions.
  ['1fd8010c', '3a3f7332', '(int64,uint32,bytes,uint256)'],
  ['a1f1ce43', '1794958f', '(bytes32,bytes32,bytes32,bytes32,uint256,uint128,bytes32,uint32,uint32,uint32,bytes)'],
  // AllBridge
  ['6a51e9a9', '63267469', '(bytes32,uint256,bytes32,uint256,uint8,bool)'],
  // CelerCircleBridge
  ['e0a4201c', '4f3b0759', '(uint256,uint32)'],
  // Chainflip
  ['0ad553b3', 'ee3314a1', `(bytes,uint32,address,${SWAP}[],uint256,bytes)`],
  // Glacis
  ['6f9206ba', '9c4b6dd9', '(bytes32,address,uint256,bytes32)'],
  // Mayan
  ['b4875292', '80c65808', '(bytes32,address,bytes,address,bytes,address,uint256,address,uint256)'],
  // PolymerCCTP
  ['f434d6ca', '17917a4e', '(uint256,uint256,bytes32,bytes32,uint32,address,bytes)'],
  // Stargate
  ['14d53077', 'a6010a66', '(uint16,(uint32,bytes32,uint256,uint256,bytes,bytes,bytes),(uint256,uint256),address)'],
];
/** The bridging function of the sandbox's stand-in, which LI.FI's contract does not have. */
const PLAY = 'c990c35c';
/** LI.FI's swaps within a chain: of a token or of native coin, in one step or in several. */
const SWAPS: Record<string, { native: boolean; single: boolean }> = {
  '4666fc80': { native: false, single: true },
  'af7060fd': { native: true, single: true },
  '5fd9ae2e': { native: false, single: false },
  '736eac0b': { native: true, single: false },
};

const DEPOSIT_NATIVE = '49290c1c';
const DEPOSIT_ERC20 = 'e8017952';
const EXEC = '2213bc0b';
const EXECUTE = '1fff991f';

const ZERO = `0x${'0'.repeat(40)}`;
const address = (value: unknown): string => `0x${encodeWord(value as bigint).slice(24)}`;

type Read = (digits: string) => Said | undefined;

/** The readers of all known functions, by their selectors. */
const READERS: Record<string, Read> = {
  /** Relay's depository. The id names an order by its hash: nobody can read in the call what Relay owes for it. */
  [DEPOSIT_NATIVE]: (digits) => {
    const [depositor] = readArguments('address,bytes32', digits) ?? [];
    return depositor === undefined ? undefined : { payer: payer(depositor), input: { token: ZERO } };
  },
  [DEPOSIT_ERC20]: (digits) => {
    const [depositor, token, amount] = readArguments('address,address,uint256,bytes32', digits) ?? [];
    return depositor === undefined ? undefined : { payer: payer(depositor), input: { token: address(token), amount: amount as bigint } };
  },
  /** 0x's allowance holder, which calls the settler with the swap. The settler's own code holds it to the least output. */
  [EXEC]: (digits) => {
    const [operator, token, amount, target, inner] = readArguments('address,address,uint256,address,bytes', digits) ?? [];
    if (typeof inner !== 'string' || !inner.startsWith(EXECUTE)) return undefined;
    const [slippage] = readArguments('(address,address,uint256),bytes[],bytes32', inner.slice(8)) ?? [];
    if (!slippage) return undefined;
    const [recipient, output, least] = slippage as bigint[];
    return {
      swaps: true, recipient: address(recipient), input: { token: address(token), amount: amount as bigint },
      output: { token: address(output), least: least! }, settler: [address(operator), address(target)],
    };
  },
  [PLAY]: (digits) => bridge(readArguments(BRIDGE, digits)),
};
for (const [start, swapAndStart, own] of BRIDGES) {
  READERS[start] = (digits) => bridge(readArguments(`${BRIDGE},${own}`, digits));
  READERS[swapAndStart] = (digits) => {
    const values = readArguments(`${BRIDGE},${SWAP}[],${own}`, digits);
    return bridge(values, values?.[1] as Argument[][]);
  };
}
for (const [selector, { native, single }] of Object.entries(SWAPS)) {
  READERS[selector] = (digits) => {
    const values = readArguments(`bytes32,string,string,address,uint256,${SWAP}${single ? '' : '[]'}`, digits);
    if (!values) return undefined;
    const [, , , recipient, least, given] = values;
    const steps = (single ? [given] : given) as Argument[][];
    const [first, last] = [steps[0], steps.at(-1)];
    if (!first || !last) return undefined;
    // Of native coin they take nothing but the value of the call, and a single one takes its input in any case.
    const input = native || single ? { token: native ? ZERO : address(first[2]), amount: first[4] as bigint } : taken(steps);
    return { swaps: true, recipient: address(recipient), input, output: { token: address(last[3]), least: least as bigint } };
  };
}

/** The function of a call, in hex. */
export const functionOf = (data: string): string => data.slice(0, 10);

/** Whether calls of this function are read. */
export const isKnown = (data: string): boolean => Object.hasOwn(READERS, data.slice(2, 10));

/** What a call of a known function says; `undefined` if its arguments are not those of the function, and nothing else. */
export const readCall = (data: string): Said | undefined => READERS[data.slice(2, 10)]?.(data.slice(10));

/** Zero stands for the caller. */
const payer = (depositor: Argument): string | undefined => (depositor === 0n ? undefined : address(depositor));

function bridge(values: Argument[] | undefined, steps: Argument[][] = []): Said | undefined {
  if (!values) return undefined;
  const [, , , , token, recipient, amount, chain, swapsFirst, goesOn] = values[0] as bigint[];
  if ((swapsFirst === 1n) !== steps.length > 0) return undefined;
  const input = steps.length > 0 ? taken(steps) : { token: address(token), amount: amount! };
  return { chain: chain!, recipient: address(recipient), goesOn: goesOn === 1n, input };
}

/**
 * What swaps take from the caller: the amounts of all that say so. An allowance that the caller gave for another token before would do
 * for it.
 */
function taken(steps: Argument[][]): Said['input'] {
  const deposits = steps.filter((step) => step[6] === 1n);
  const token = steps[0]![2];
  if (deposits.some((step) => step[2] !== token)) return undefined;
  return { token: address(token), amount: deposits.reduce((sum, step) => sum + (step[4] as bigint), 0n) };
}
