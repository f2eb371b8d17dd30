import type { Approval, QuoteAsk, Terms } from '../generated/types.js';
import { unlike } from '../request.js';
import type { DepositWay } from './check-deposit.js';
import { other } from './other.js';
import { permit2 } from './permit.js';
import { addressIn, digits, openCall, TERMS } from './terms.js';

/** One thing to ask of the wallet. */
export interface Request {
  method: string;
  params: unknown[];
  /** A transaction for Solana in base64, for a wallet that signs those. */
  transaction?: string;
  waitForReceipt?: boolean;
  deposit?: boolean;
}

/** `approve(address,uint256)` of a token. */
const APPROVE = '0x095ea7b3';

/** Holds every request for the wallet against the terms, and writes it anew: nothing else that the service put into it is passed on. */
export function planRequests(ask: QuoteAsk, terms: Terms, way: DepositWay, approvals: Approval[]): Request[] {
  const native = BigInt(terms.inputToken) === 0n;
  const requests = approvals.map((approval): Request => {
    const deposit = approval.deposit === true;
    if (approval.type === 'solana_sendTransaction') return { method: '', params: [], transaction: approval.transaction, deposit };
    const { method, params } = approval.request;
    const given = Object(params[0]) as Record<string, unknown>;
    if (Number(given.chainId) !== ask.fromChainId) throw other('transaction\'s chain', Number(given.chainId), ask.fromChainId);
    const chainId = `0x${ask.fromChainId.toString(16)}`;
    if (method === 'wallet_switchEthereumChain') return { method, params: [{ chainId }], deposit };
    if (method !== 'eth_sendTransaction') throw unlike(`The deposit asks the wallet for ${method}, which no swap needs.`);
    const transaction = deposit ? planOpen(terms, native, given) : planApproval(terms, way, given);
    same('transaction\'s payer', given.from, addressIn(terms.user));
    const gas = /^0x[0-9a-f]{1,16}$/i.test(String(given.gas)) ? { gas: given.gas } : {};
    const waitForReceipt = approval.waitForReceipt === true;
    return { method, params: [{ from: ask.fromAddress, ...transaction, chainId, ...gas }], waitForReceipt, deposit };
  });
  const count = (what: string, has: number, least: number, most: number) => {
    if (has < least || has > most) throw unlike(`The answer has ${has} ${what} where it must have ${least < most ? 'at most ' : ''}${most}.`);
  };
  const wanted = way === 'CONTRACT_CALL' ? 1 : 0;
  count('deposits', requests.filter(({ deposit }) => deposit).length, wanted, wanted);
  const solana = requests.some(({ transaction }) => transaction !== undefined);
  const beside = requests.filter(({ method, deposit }) => !deposit && (solana || method === 'eth_sendTransaction'));
  // Some tokens want an allowance set to zero first.
  count('approvals', beside.length, 0, native || solana ? 0 : 2);
  return requests;
}

/** The escrow takes exactly these terms, and exactly their coin. */
function planOpen(terms: Terms, native: boolean, given: Record<string, unknown>) {
  same('deposit\'s contract', given.to, addressIn(terms.escrow));
  const data = openCall(terms);
  sameCall('deposit', given.data, data, (at) => TERMS[at - 6]?.name);
  return { to: addressIn(terms.escrow), data, value: sameValue('deposit', given.value, native ? terms.amountIn : 0) };
}

/** The token of the terms, and no other, lets the escrow or Permit2 have exactly the input. */
function planApproval(terms: Terms, way: DepositWay, given: Record<string, unknown>) {
  same('approval\'s token', given.to, addressIn(terms.inputToken));
  const spender = way === 'PERMIT2' ? permit2(Number(terms.originChainId)) : addressIn(terms.escrow);
  const approve = (amount: string) => APPROVE + digits(spender) + digits(amount);
  const data = String(given.data).toLowerCase() === approve('0') ? approve('0') : approve(terms.amountIn);
  sameCall('approval', given.data, data, (at) => ['', 'spender', 'amount'][at]);
  return { to: addressIn(terms.inputToken), data, value: sameValue('approval', given.value, 0) };
}

function same(what: string, is: unknown, asked: string): void {
  const given = String(is).toLowerCase();
  if (given !== asked) throw other(what, given, asked);
}

function sameValue(whose: string, is: unknown = '0x0', asked: string | number): string {
  const coin = /^0x[0-9a-f]{1,64}$/i.test(String(is)) ? BigInt(String(is)) : is;
  if (coin !== BigInt(asked)) throw other(`${whose}'s coin`, coin, asked);
  return `0x${coin.toString(16)}`;
}

/** Compares two calls word by word, so that what differs can be named. */
function sameCall(whose: string, is: unknown, asked: string, nameOf: (at: number) => string | undefined): void {
  const words = (data: string) => [data.slice(0, 10), ...(data.slice(10).match(/.{1,64}/g) ?? []).map((digit) => `0x${digit}`)];
  const [has, wants] = [words(String(is).toLowerCase()), words(asked)];
  for (let at = 0; at < Math.max(has.length, wants.length); at += 1) {
    if (has[at] !== wants[at]) throw other(`${whose}'s ${nameOf(at) || 'call'}`, has[at] ?? 'missing', wants[at] ?? 'nothing more');
  }
}
