import type { Approval, BuildAnswer, FrozenOrder, QuoteAsk, RouteQuote, Terms } from '../generated/types.js';
import { word } from './words.js';

/** How a swap deposits: the wallet sends the deposit, or signs a permit that the service brings to the chain. */
export type DepositWay = 'CONTRACT_CALL' | 'PERMIT2';

/** The transaction object of `eth_sendTransaction`. */
export interface Transaction {
  from?: unknown;
  to?: unknown;
  value?: string;
  chainId?: string;
}

/**
 * Holds a deposit against what was asked for, before anything of it is signed; says what differs.
 *
 * It finds what the service misunderstood. What a contract then does with the money is the contract's to say.
 */
export function checkDeposit(ask: QuoteAsk, quote: RouteQuote, way: DepositWay, built: BuildAnswer): string | undefined {
  if (built.kind === 'TRANSFER' || built.kind !== way) return `The service built another deposit than ${way}.`;
  return (built.kind === 'PERMIT2' ? checkPermit(built.permit, built) : undefined)
    ?? checkTerms(ask, quote, built.terms)
    ?? checkApprovals(ask, built.terms, way, built.approvals ?? []);
}

function checkTerms(ask: QuoteAsk, quote: RouteQuote, terms: Terms): string | undefined {
  const unlike = (what: string, is: string, asked: string) => `The deposit is not the one asked for: its ${what} is ${is}, not ${asked}.`;
  const numbers = [
    ['source chain', terms.originChainId, String(ask.fromChainId)],
    ['destination chain', terms.destinationChainId, String(ask.toChainId)],
    ['input', terms.amountIn, quote.amountIn],
  ] as const;
  for (const [what, is, asked] of numbers) if (is !== asked) return unlike(what, is, asked);
  const words = [
    ['payer', terms.user, ask.fromAddress],
    ['input token', terms.inputToken, ask.fromToken],
    ['output token', terms.outputToken, ask.toToken],
    ['recipient', terms.recipient, ask.recipient ?? ask.fromAddress],
    ['refund address', terms.refundTo, ask.refundTo ?? ask.fromAddress],
  ] as const;
  for (const [what, is, asked] of words) if (is.toLowerCase() !== word(asked)) return unlike(what, is, asked);
  const enough = /^\d+$/.test(terms.amountOut) && BigInt(terms.amountOut) >= BigInt(quote.minAmountOut);
  return enough ? undefined : unlike('output', terms.amountOut, quote.minAmountOut);
}

function checkApprovals(ask: QuoteAsk, terms: Terms, way: DepositWay, approvals: Approval[]): string | undefined {
  let coin = 0n;
  for (const approval of approvals) {
    if (approval.type !== 'eip1193_request') continue;
    const { method, params } = approval.request;
    if (method === 'wallet_switchEthereumChain') continue;
    if (method !== 'eth_sendTransaction') return `The deposit asks the wallet for ${method}, which no swap needs.`;
    const { from, value = '0x0', chainId } = (params[0] ?? {}) as Transaction;
    const ours = String(from).toLowerCase() === ask.fromAddress.toLowerCase() && Number(chainId) === ask.fromChainId;
    if (!ours || !/^0x[0-9a-f]+$/i.test(value)) return 'A transaction of the deposit is for another wallet or another chain.';
    coin += BigInt(value);
  }
  const native = BigInt(word(ask.fromToken) ?? 1) === 0n;
  const most = native ? BigInt(terms.amountIn) : 0n;
  if (coin > most) return `The deposit spends ${coin} raw units of the chain's coin, more than the ${most} asked for.`;
  const deposits = approvals.filter(({ deposit }) => deposit).length;
  const wanted = way === 'CONTRACT_CALL' ? 1 : 0;
  return deposits === wanted ? undefined : `The answer has ${deposits} deposits where it must have ${wanted}.`;
}

/** The permit must move what the terms say, on their chain, and nothing else. */
function checkPermit(permit: Record<string, any>, { terms, recovery }: FrozenOrder): string | undefined {
  const { domain, message } = permit;
  const spender = word(String(message?.spender));
  const alike = String(domain?.chainId) === terms.originChainId
    && String(message?.permitted?.amount) === terms.amountIn
    && word(String(message?.permitted?.token)) === terms.inputToken.toLowerCase()
    && spender !== undefined && spender === word(recovery.escrow);
  return alike ? undefined : 'The permit does not move what the terms of the deposit say.';
}
