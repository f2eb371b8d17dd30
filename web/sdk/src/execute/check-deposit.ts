import type { BuildAnswer, FrozenOrder, QuoteAsk, RouteQuote, Terms } from '../generated/types.js';
import { unlike } from '../request.js';
import { ORDER_VERSION } from './contracts.js';
import { other } from './other.js';
import { checkPermit, permitOf } from './permit.js';
import { planRequests, type Request } from './plan-requests.js';
import { fits, TERMS } from './terms.js';
import { word } from './words.js';

/** How a swap deposits: the wallet sends the deposit, or signs a permit that the service brings to the chain. */
export type DepositWay = 'CONTRACT_CALL' | 'PERMIT2';

/** What the wallet is asked for: drawn up here, of what was agreed and nothing else. */
export interface Plan {
  requests: Request[];
  terms: Terms;
  /** Typed data to be signed in the end. */
  permit?: object | undefined;
}

/** What an asker who says nothing is taken to tolerate, as the service has it. */
const USUAL_SLIPPAGE = 0.005;
/** No honest order keeps its money for longer: a swap takes minutes, and an escrow's grace is a week at most. */
const LONGEST_DAYS = 8;

/** Holds a route against what was asked for: the amount that was fixed, and the least output that is tolerated. */
export function checkRoute(ask: QuoteAsk, quote: RouteQuote): void {
  const fixed = ask.tradeType === 'EXACT_OUTPUT' ? 'amountOut' : 'amountIn';
  if (quote[fixed].replace(/^0+/, '') !== ask.amount.replace(/^0+/, '')) throw other(fixed, quote[fixed], ask.amount, 'route');
  const [out, share] = [BigInt(quote.amountOut), BigInt(Math.round((ask.slippageTolerance ?? USUAL_SLIPPAGE) * 1e6) || 0)];
  const least = out - (out * share + 999_999n) / 1_000_000n;
  const minAmountOut = quote.minAmountOut ?? '';
  if (!minAmountOut || BigInt(minAmountOut) < least) throw other('minAmountOut', minAmountOut || 'missing', `at least ${least}`, 'route');
}

/**
 * Holds a deposit against what was asked for and says what differs, before anything of it is signed; draws up what is.
 *
 * `escrow` is the one that is trusted on the source chain; without one nothing is signed.
 */
export function planDeposit(
  ask: QuoteAsk,
  quote: RouteQuote,
  way: DepositWay,
  built: BuildAnswer,
  escrow: string | undefined,
): Plan {
  if (built.kind === 'TRANSFER' || built.kind !== way) throw unlike(`The service built another deposit than ${way}.`);
  const terms = checkTerms(ask, quote, built, escrow);
  const permit = built.kind === 'PERMIT2' ? permitOf(terms) : undefined;
  if (built.kind === 'PERMIT2') checkPermit(built.permit, permit);
  return { requests: planRequests(ask, terms, way, built.approvals ?? []), terms, permit };
}

/** Holds an order's terms against what was asked for, and says what differs; returns them. */
export function checkTerms(ask: QuoteAsk, quote: RouteQuote, frozen: FrozenOrder, escrow: string | undefined): Terms {
  const { terms, recovery } = frozen;
  if (!terms) throw unlike('The answer has no terms, so nobody can say what would be signed.');
  for (const { name, type } of TERMS) if (!fits(terms[name], type)) throw other(name, terms[name], `of type ${type}`);
  const numbers = [
    ['version', terms.version, ORDER_VERSION],
    ['source chain', terms.originChainId, ask.fromChainId],
    ['destination chain', terms.destinationChainId, ask.toChainId],
    ['input', terms.amountIn, quote.amountIn],
  ] as const;
  for (const [what, is, asked] of numbers) if (is !== String(asked)) throw other(what, is, asked);
  const words = [
    ['payer', terms.user, ask.fromAddress],
    ['input token', terms.inputToken, ask.fromToken],
    ['output token', terms.outputToken, ask.toToken],
    ['recipient', terms.recipient, ask.recipient ?? ask.fromAddress],
    ['refund address', terms.refundTo, ask.refundTo ?? ask.fromAddress],
    ['escrow', terms.escrow, recovery?.escrow ?? escrow ?? ''],
    ['escrow', terms.escrow, escrow ?? 'one that is trusted'],
  ] as const;
  for (const [what, is, asked] of words) if (is.toLowerCase() !== word(asked)) throw other(what, is, asked);
  const least = quote.minAmountOut ?? quote.amountOut;
  if (BigInt(terms.amountOut) < BigInt(least)) throw other('output', terms.amountOut, `at least ${least}`);
  const fee = BigInt(terms.referrerFee);
  const most = (BigInt(terms.amountIn) * BigInt(ask.referrerFeeBps ?? 0)) / 10_000n;
  if (fee > most) throw other('referrer fee', fee, `at most ${most}`);
  if (fee > 0n && terms.referrer.toLowerCase() !== word(ask.referrer ?? '')) throw other('referrer', terms.referrer, ask.referrer);
  const latest = Date.now() / 1000 + LONGEST_DAYS * 86_400;
  if (Number(terms.refundAt) > latest) throw other('refund time', terms.refundAt, `within ${LONGEST_DAYS} days`);
  return terms;
}
