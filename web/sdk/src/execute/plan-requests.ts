import type { Approval, QuoteAsk, Terms } from '../generated/types.js';
import { invalidResponse } from '../request.js';
import type { DepositMethod } from './check-deposit.js';
import { mismatchError } from './mismatch-error.js';
import { permit2 } from './permit.js';
import { encodeWord, openCall, TERMS, toAddress } from './terms.js';

/** A request for the wallet. */
export interface Request {
  method: string;
  params: unknown[];
  /** For Solana wallets: the transaction to sign, in base64. */
  transaction?: string;
  waitForReceipt?: boolean;
  deposit?: boolean;
}

/** Selector of `approve(address,uint256)`. */
export const APPROVE = '0x095ea7b3';

/** Checks every wallet request against the terms and rebuilds it, so that no other field from the service reaches the wallet. */
export function planRequests(ask: QuoteAsk, terms: Terms, method: DepositMethod, approvals: Approval[]): Request[] {
  const native = BigInt(terms.inputToken) === 0n;
  const requests = approvals.map((approval): Request => {
    const deposit = approval.deposit === true;
    if (approval.type === 'solana_sendTransaction') return { method: '', params: [], transaction: approval.transaction, deposit };
    const { method: rpcMethod, params } = approval.request;
    const given = Object(params[0]) as Record<string, unknown>;
    if (Number(given.chainId) !== ask.fromChainId) throw mismatchError('transaction\'s chain', Number(given.chainId), ask.fromChainId);
    const chainId = `0x${ask.fromChainId.toString(16)}`;
    if (rpcMethod === 'wallet_switchEthereumChain') return { method: rpcMethod, params: [{ chainId }], deposit };
    if (rpcMethod !== 'eth_sendTransaction') throw invalidResponse(`The deposit requests ${rpcMethod} from the wallet, which a swap does not need.`);
    const transaction = deposit ? planOpen(terms, native, given) : planApproval(terms, method, given);
    checkEqual('transaction\'s payer', given.from, toAddress(terms.user));
    const gas = /^0x[0-9a-f]{1,16}$/i.test(String(given.gas)) ? { gas: given.gas } : {};
    const waitForReceipt = approval.waitForReceipt === true;
    return { method: rpcMethod, params: [{ from: ask.fromAddress, ...transaction, chainId, ...gas }], waitForReceipt, deposit };
  });
  const checkCount = (what: string, count: number, min: number, max: number) => {
    if (count < min || count > max) throw invalidResponse(`The response has ${count} ${what}, expected ${min < max ? 'at most ' : ''}${max}.`);
  };
  const deposits = method === 'CONTRACT_CALL' ? 1 : 0;
  checkCount('deposits', requests.filter(({ deposit }) => deposit).length, deposits, deposits);
  const solana = requests.some(({ transaction }) => transaction !== undefined);
  const others = requests.filter(({ method: rpcMethod, deposit }) => !deposit && (solana || rpcMethod === 'eth_sendTransaction'));
  // Some tokens need the allowance reset to zero first.
  checkCount('approvals', others.length, 0, native || solana ? 0 : 2);
  return requests;
}

/** Checks that the escrow gets exactly these terms and exactly the native amount. */
function planOpen(terms: Terms, native: boolean, given: Record<string, unknown>) {
  checkEqual('deposit\'s contract', given.to, toAddress(terms.escrow));
  const data = openCall(terms);
  checkCall('deposit', given.data, data, (index) => TERMS[index - 6]?.name);
  return { to: toAddress(terms.escrow), data, value: checkValue('deposit', given.value, native ? terms.amountIn : 0) };
}

/** Checks that the approval covers exactly the input token and amount, for the escrow or Permit2. */
function planApproval(terms: Terms, method: DepositMethod, given: Record<string, unknown>) {
  checkEqual('approval\'s token', given.to, toAddress(terms.inputToken));
  const spender = method === 'PERMIT2' ? permit2(Number(terms.originChainId)) : toAddress(terms.escrow);
  const approve = (amount: string) => APPROVE + encodeWord(spender) + encodeWord(amount);
  const data = String(given.data).toLowerCase() === approve('0') ? approve('0') : approve(terms.amountIn);
  checkCall('approval', given.data, data, (index) => ['', 'spender', 'amount'][index]);
  return { to: toAddress(terms.inputToken), data, value: checkValue('approval', given.value, 0) };
}

export function checkEqual(name: string, value: unknown, expected: string): void {
  const actual = String(value).toLowerCase();
  if (actual !== expected) throw mismatchError(name, actual, expected);
}

export function checkValue(subject: string, value: unknown = '0x0', expected: string | number): string {
  const actual = /^0x[0-9a-f]{1,64}$/i.test(String(value)) ? BigInt(String(value)) : value;
  if (actual !== BigInt(expected)) throw mismatchError(`${subject}'s value`, actual, expected);
  return `0x${actual.toString(16)}`;
}

/** Compares calldata word by word, so that the error names the difference. */
export function checkCall(subject: string, data: unknown, expected: string, nameOf: (index: number) => string | undefined): void {
  const split = (text: string) => [text.slice(0, 10), ...(text.slice(10).match(/.{1,64}/g) ?? []).map((word) => `0x${word}`)];
  const [actualWords, expectedWords] = [split(String(data).toLowerCase()), split(expected)];
  for (let index = 0; index < Math.max(actualWords.length, expectedWords.length); index += 1) {
    const [actual, wanted] = [actualWords[index], expectedWords[index]];
    if (actual !== wanted) throw mismatchError(`${subject}'s ${nameOf(index) || 'call'}`, actual ?? 'missing', wanted ?? 'nothing more');
  }
}
