import type { QuoteAsk, RouteQuote } from '../generated/types.js';
import type { ProgramSwap } from '../wallets/check-program.js';
import { hex } from '../wallets/solana-message.js';
import type { Eip1193Provider } from '../wallets/wallet.js';
import { toBytes32 } from './bytes32.js';
import { mismatchError } from './mismatch-error.js';
import { TOKEN_PROGRAMS } from './provider.js';
import { attempt, endpointOf, printable, unsimulated, wouldFail } from './simulation.js';
import type { WalletChains } from './wallet-request.js';

/** What the network takes for the only signature, in lamports. */
const SIGNATURE_FEE = 5_000n;
/** The length of a token account without extensions, and the byte after it in one with them. */
const TOKEN_ACCOUNT = 165;
const WITH_EXTENSIONS = 2;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const SYSTEM = '1'.repeat(32);

interface Account {
  lamports: number;
  owner: string;
  data: [string, string];
}

interface Token {
  owner: string;
  amount: bigint;
  /** Who has power over it besides: its delegate with its state, and who may close it. */
  powers: string[];
}

/** A checked transaction of a provider's program, and whether the service's word is taken for what it does where nobody simulates it. */
interface Swap extends ProgramSwap {
  target: string;
  /** In base64. */
  transaction: string;
  isTrusted: boolean;
}

/** What is compared of an account. */
interface State {
  lamports: bigint;
  owner: string;
  token: Token | undefined;
}

/**
 * Simulates a swap of a provider's program at the caller's own endpoint, and compares the accounts that stand in its transaction before and
 * after: what leaves the payer, and what reaches the recipient.
 */
export async function checkProgramEffects(ask: QuoteAsk, quote: RouteQuote, swap: Swap, chains: WalletChains | undefined): Promise<void> {
  const { keys, source, destination, tip } = swap;
  const endpoint = endpointOf(chains, ask.fromChainId);
  const simulated = endpoint && await attempt(() => simulate(endpoint, keys, swap.transaction));
  if (!simulated) {
    if (swap.isTrusted) return;
    throw unsimulated(swap.target);
  }
  const { before, after, failure } = simulated;
  if (failure !== undefined) throw wouldFail(failure);
  const [payer, recipient] = [toBytes32(ask.fromAddress)!, toBytes32(ask.recipient ?? ask.fromAddress)!];
  // The network rounds the priority fee up.
  let most = SIGNATURE_FEE + tip + 1n;
  for (const [key, { lamports, token }] of after) {
    if (before.has(key) || (token?.owner !== payer && token?.owner !== recipient)) continue;
    // The rent of a new token account, over which nobody else has power.
    if (token.powers.some((part) => !part.startsWith('00'))) throw powerError(key);
    most += lamports;
  }
  const taken = (before.get(payer)?.lamports ?? 0n) - (after.get(payer)?.lamports ?? 0n);
  if (taken > most) throw mismatchError('what it takes of the native coin', taken, `at most ${most}`);
  if ((after.get(payer)?.owner ?? SYSTEM) !== SYSTEM) throw mismatchError('the payer\'s wallet', 'of a program', 'a wallet');
  for (const [key, { token: held }] of before) {
    if (held?.owner !== payer) continue;
    const left = after.get(key)?.token;
    const isOwn = left?.owner === payer;
    const [spent, input] = [held.amount - (isOwn ? left.amount : 0n), key === source ? BigInt(quote.amountIn) : 0n];
    if (spent > input) throw mismatchError(`what it takes of ${base58(key)}`, spent, `at most ${input}`);
    if (!isOwn || left.powers.join() !== held.powers.join()) throw powerError(key);
  }
  const heldIn = (states: Map<string, State>) => {
    const token = states.get(destination)?.token;
    return token?.owner === recipient ? token.amount : 0n;
  };
  const [gained, least] = [heldIn(after) - heldIn(before), BigInt(quote.minAmountOut ?? quote.amountOut)];
  if (gained < least) throw mismatchError(`what it pays ${base58(recipient)}`, gained, `at least ${least}`);
}

const powerError = (key: string) => mismatchError(`who may use ${base58(key)}`, 'somebody else', 'nobody but its owner');

/** The accounts that exist, as they are, and as the endpoint says that they will be, or why they will not. */
async function simulate(endpoint: Eip1193Provider, keys: readonly string[], transaction: string) {
  const addresses = keys.map(base58);
  const common = { commitment: 'confirmed', encoding: 'base64' };
  const read = async (method: string, ...params: unknown[]) => ((await endpoint.request({ method, params })) as { value: any }).value;
  const before = statesOf(keys, await read('getMultipleAccounts', addresses, common));
  const options = { ...common, sigVerify: false, replaceRecentBlockhash: true, accounts: { encoding: 'base64', addresses } };
  const { err, accounts } = await read('simulateTransaction', transaction, options);
  if (err != null) return { before, after: before, failure: printable(JSON.stringify(err)) };
  return { before, after: statesOf(keys, accounts), failure: undefined };
}

function statesOf(keys: readonly string[], accounts: (Account | null)[]): Map<string, State> {
  if (accounts.length !== keys.length) throw new RangeError();
  const states = new Map<string, State>();
  for (const [place, account] of accounts.entries()) {
    if (!account) continue;
    const { lamports, owner, data: [encoded] } = account;
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    states.set(keys[place]!, { lamports: BigInt(lamports), owner, token: TOKEN_PROGRAMS.includes(toBytes32(owner)) ? tokenOf(bytes) : undefined });
  }
  return states;
}

function tokenOf(bytes: Uint8Array): Token | undefined {
  if (bytes.length !== TOKEN_ACCOUNT && bytes[TOKEN_ACCOUNT] !== WITH_EXTENSIONS) return undefined;
  const amount = new DataView(bytes.buffer).getBigUint64(64, true);
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { owner: hex(bytes.subarray(32, 64)), amount, powers: [digits.slice(144, 218), digits.slice(258, 330)] };
}

/** Encodes 32 bytes of hex as base58. */
function base58(key: string): string {
  const zeros = /^0x((?:00)*)/.exec(key)![1]!.length / 2;
  let text = '';
  for (let number = BigInt(key); number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text;
  return '1'.repeat(zeros) + text;
}
