import type { QuoteAsk } from '../generated/types.js';
import type { Eip1193Provider } from '../wallets/wallet.js';
import { asked, type Allowed } from './check-provider-call.js';
import { mismatchError } from './mismatch-error.js';
import type { Request } from './plan-requests.js';
import { isOnChain } from './provider.js';
import { attempt, endpointOf, printable, unsimulated, wouldFail } from './simulation.js';
import { encodeWord } from './terms.js';
import type { WalletChains } from './wallet-request.js';

/**
 * The code that a simulation has at the payer's address. Called by the payer, it makes the calls that it is given, one after the other: each
 * is a target, a value and a length of 32 bytes, and that many bytes. It returns of each whether it succeeded, a length, and that many bytes.
 * A single word in place of calls is an address, whose native coin it returns. Called by anybody else, it does nothing, as an account.
 */
const CODE = '0x333014600757005b36602010601b576000353160005260206000f35b6000805b806040013580826060018437600060008285856020013586355af1'
  + '83523d83602001523d6000846040013e01606001903d0160400190803611601f57506000f3';
const BALANCE_OF = '0x70a08231';
const ALLOWANCE = '0xdd62ed3e';
/** Selector of `Error(string)`, with which Solidity gives reasons. */
const ERROR = '08c379a0';

/** A call that is simulated, in the form of transactions. */
interface Call {
  to: string;
  data: string;
  value?: string;
}

interface Outcome {
  succeeds: boolean;
  /** Hex digits. */
  data: string;
}

/** A payment to a provider, and who gets an allowance for it. */
interface Payment extends Allowed {
  spender: string;
}

/**
 * A wallet that sends each transaction of a payment only after it was simulated with all that follow it, at its own endpoint or else at the
 * caller's. `isTrusted` takes the service's word for what it does where neither can simulate.
 */
export function withEffects(
  wallet: Eip1193Provider, ask: QuoteAsk, payment: Payment, requests: readonly Request[], isTrusted: boolean, chains: WalletChains | undefined,
): Eip1193Provider {
  const endpoint = endpointOf(chains, ask.fromChainId);
  return {
    async request(args) {
      if (args.method === 'eth_sendTransaction') {
        const left = requests.slice(requests.findIndex(({ params }) => params === args.params)).filter(({ method }) => method === args.method);
        const calls = left.map(({ params }) => params[0] as Call);
        const isSimulated = await checkEffects(wallet, ask, payment, calls) || (endpoint && await checkEffects(endpoint, ask, payment, calls));
        if (!isSimulated && !isTrusted) throw unsimulated(payment.target);
      }
      return wallet.request(args);
    },
  };
}

/**
 * Simulates the payment, and compares what it does with the request: what leaves the payer, what reaches the recipient on the same chain,
 * and what is still allowed then. `calls` are allowances that are still to be given, and the provider's call at last. Resolves with false
 * if the endpoint cannot simulate.
 */
async function checkEffects(wallet: Eip1193Provider, ask: QuoteAsk, { token, amount, least, spender }: Payment, calls: readonly Call[]): Promise<boolean> {
  const payer = asked('payer', ask.fromAddress);
  const native = BigInt(token) === 0n;
  const read = (to: string, selector: string, ...words: string[]): Call => ({ to, data: selector + words.map(encodeWord).join('') });
  const balance = (of: string, owner: string) => (BigInt(of) === 0n ? read(payer, '0x', owner) : read(of, BALANCE_OF, owner));
  const reads = [balance('0', payer)];
  if (!native) reads.push(balance(token, payer));
  const recipient = ask.toChainId === ask.fromChainId ? asked('recipient', ask.recipient ?? ask.fromAddress) : '';
  if (recipient) reads.push(balance(asked('output token', ask.toToken), recipient));
  const allowance = native ? [] : [read(token, ALLOWANCE, payer, spender)];
  const steps = [...reads, ...calls.slice(0, -1), ...allowance, ...calls.slice(-1), ...reads, ...allowance];
  const outcomes = await simulate(wallet, ask.fromChainId, payer, steps);
  if (!outcomes) return false;
  for (const { data } of outcomes.filter(({ succeeds }, place) => !succeeds && calls.includes(steps[place]!))) throw wouldFail(reasonOf(data));
  /** The number that a read returned: the first or the second time. */
  const numberOf = (call: Call, time: 'indexOf' | 'lastIndexOf') => {
    const { succeeds, data } = outcomes[steps[time](call)]!;
    if (!succeeds || data.length < 64) throw wouldFail(`${call.to} cannot be read`);
    return BigInt(`0x${data.slice(0, 64)}`);
  };
  const change = (call: Call) => numberOf(call, 'lastIndexOf') - numberOf(call, 'indexOf');
  const value = BigInt(calls.at(-1)!.value ?? 0);
  const taken = -change(reads[0]!);
  if (taken > value) throw mismatchError('what it takes of the native coin', taken, `at most ${value}`);
  const spent = native ? taken : -change(reads[1]!);
  if (spent > amount) throw mismatchError(`what it takes of ${token}`, spent, `at most ${amount}`);
  const [output] = reads.slice(native ? 1 : 2);
  if (output && change(output) < least) throw mismatchError(`what it pays ${recipient}`, change(output), `at least ${least}`);
  for (const allowed of allowance) {
    const [before, after] = [numberOf(allowed, 'indexOf'), numberOf(allowed, 'lastIndexOf')];
    // An older allowance of more than the input may stay, and what was given for this call is used up by what it took.
    const used = spent > 0n ? spent : 0n;
    const most = before > amount ? before : before > used ? before - used : 0n;
    if (after > most) throw mismatchError('the allowance that it leaves', after, `at most ${most}`);
  }
  return true;
}

/** The outcomes of all calls, or nothing if the wallet's endpoint cannot do that. */
async function simulate(wallet: Eip1193Provider, chainId: number, payer: string, calls: readonly Call[]): Promise<Outcome[] | undefined> {
  const data = `0x${calls.map(({ to, data: given, value = '0' }) => [to, value, given.length / 2 - 1].map(encodeWord).join('') + given.slice(2)).join('')}`;
  const params = [{ from: payer, to: payer, data }, 'latest', { [payer]: { code: CODE } }];
  return attempt(async () => {
    if (!await isOnChain(wallet, `0x${chainId.toString(16)}`)) return undefined;
    return readOutcomes(String(await wallet.request({ method: 'eth_call', params })).slice(2), calls.length);
  });
}

/** The outcomes of that many calls; nothing if there are others, as from an endpoint that ignores the code. */
function readOutcomes(digits: string, count: number): Outcome[] | undefined {
  const outcomes: Outcome[] = [];
  let at = 0;
  while (at < digits.length) {
    const [succeeds, size] = [0, 64].map((place) => BigInt(`0x${digits.slice(at + place, at + place + 64)}`)) as [bigint, bigint];
    const start = at + 128;
    if (size > BigInt(digits.length)) return undefined;
    at = start + Number(size) * 2;
    outcomes.push({ succeeds: succeeds === 1n, data: digits.slice(start, at) });
  }
  return at === digits.length && outcomes.length === count ? outcomes : undefined;
}

/** What a call that failed says of it. */
function reasonOf(data: string): string {
  if (data.startsWith(ERROR)) {
    const length = Number(BigInt(`0x0${data.slice(72, 136)}`));
    const bytes = data.slice(136, 136 + Math.min(length, 1000) * 2).match(/../g) ?? [];
    const text = printable(String.fromCharCode(...bytes.map((digits) => Number.parseInt(digits, 16)))).replace(/\.$/, '');
    if (text) return text;
  }
  return data ? `error 0x${data.slice(0, 8)}` : 'the contract gives no reason';
}
