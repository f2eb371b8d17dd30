import type { BuildAnswer, FrozenOrder, QuoteAsk, RouteQuote, Terms } from '../generated/types.js';
import { invalidResponse } from '../request.js';
import { toBytes32 } from './bytes32.js';
import { ORDER_VERSION } from './contracts.js';
import { mismatchError } from './mismatch-error.js';
import { buildPermit, checkPermit } from './permit.js';
import { planRequests, type Request } from './plan-requests.js';
import { isOfType, TERMS } from './terms.js';
import type { Wallet } from '../wallets/wallet.js';

/**
 * `CONTRACT_CALL`: the wallet sends the deposit. `PERMIT2`: the wallet signs a permit and the service sends the deposit. `AUTHORIZATION`:
 * the same with the token's own authorization (EIP-3009), which needs neither an allowance nor gas. `PERMIT`: the same with the token's
 * permit (EIP-2612) and a second signature, of the order.
 */
export type DepositMethod = 'CONTRACT_CALL' | 'PERMIT2' | 'AUTHORIZATION' | 'PERMIT';

/** The requests for the wallet, built from the verified terms only. */
export interface Plan {
  requests: Request[];
  /** Absent for the transaction of a provider, which settles itself. */
  terms?: Terms | undefined;
  /** Signs instead of the caller's wallet, with checks of its own. */
  signer?: Wallet | undefined;
  /** Typed data to sign after the requests. */
  permit?: object | undefined;
  /** The order, to sign after the permit where that is not bound to it. */
  order?: object | undefined;
}

/** The default slippage tolerance of the service. */
const DEFAULT_SLIPPAGE = 0.005;
/** Latest acceptable refund time: a swap takes minutes, and the grace period of an escrow is a week at most. */
const MAX_REFUND_DAYS = 8;

/** Checks a route against the request: the fixed amount, and the minimum output within the slippage tolerance. */
export function checkRoute(ask: QuoteAsk, quote: RouteQuote): void {
  const fixed = ask.tradeType === 'EXACT_OUTPUT' ? 'amountOut' : 'amountIn';
  if (quote[fixed].replace(/^0+/, '') !== ask.amount.replace(/^0+/, '')) throw mismatchError(fixed, quote[fixed], ask.amount, 'route');
  const [out, share] = [BigInt(quote.amountOut), BigInt(Math.round((ask.slippageTolerance ?? DEFAULT_SLIPPAGE) * 1e6) || 0)];
  const least = out - (out * share + 999_999n) / 1_000_000n;
  const minAmountOut = quote.minAmountOut ?? '';
  if (!minAmountOut || BigInt(minAmountOut) < least) throw mismatchError('minAmountOut', minAmountOut || 'missing', `at least ${least}`, 'route');
}

/**
 * Checks a built deposit against the request before anything is signed, and returns the requests for the wallet.
 *
 * `escrow` is the trusted escrow on the source chain; without one nothing is signed.
 */
export async function planDeposit(
  ask: QuoteAsk,
  quote: RouteQuote,
  method: DepositMethod,
  built: BuildAnswer,
  escrow: string | undefined,
): Promise<Plan> {
  // Neither a transfer nor the transaction of a provider, which settles itself, is signed here.
  if (built.kind !== method) throw invalidResponse(`The service built a deposit other than ${method}.`);
  const terms = checkTerms(ask, quote, built, escrow);
  let signed: Pick<Plan, 'permit' | 'order'> = {};
  if (built.kind === 'PERMIT2') {
    checkPermit(built.permit, signed.permit = buildPermit(terms));
  } else if (built.kind !== 'CONTRACT_CALL') {
    // The order's id takes a hash function, which no other deposit needs.
    signed = (await import('./token-permit.js')).planTokenPermit(terms, built);
  }
  return { requests: planRequests(ask, terms, method, built.approvals ?? []), terms, ...signed };
}

/** Checks the terms of an order against the request, and returns them. */
export function checkTerms(ask: QuoteAsk, quote: RouteQuote, frozen: FrozenOrder, escrow: string | undefined): Terms {
  const { terms, recovery } = frozen;
  if (!terms) throw invalidResponse('The response has no terms, so the deposit cannot be verified.');
  for (const { name, type } of TERMS) if (!isOfType(terms[name], type)) throw mismatchError(name, terms[name], `a value of type ${type}`);
  const numbers = [
    ['version', terms.version, ORDER_VERSION],
    ['source chain', terms.originChainId, ask.fromChainId],
    ['destination chain', terms.destinationChainId, ask.toChainId],
    ['input', terms.amountIn, quote.amountIn],
  ] as const;
  for (const [name, actual, expected] of numbers) if (actual !== String(expected)) throw mismatchError(name, actual, expected);
  const addresses = [
    ['payer', terms.user, ask.fromAddress],
    ['input token', terms.inputToken, ask.fromToken],
    ['output token', terms.outputToken, ask.toToken],
    ['recipient', terms.recipient, ask.recipient ?? ask.fromAddress],
    ['refund address', terms.refundTo, ask.refundTo ?? ask.fromAddress],
    ['escrow', terms.escrow, recovery?.escrow ?? escrow ?? ''],
    ['escrow', terms.escrow, escrow ?? 'a trusted escrow'],
  ] as const;
  for (const [name, actual, expected] of addresses) if (actual.toLowerCase() !== toBytes32(expected)) throw mismatchError(name, actual, expected);
  const least = quote.minAmountOut ?? quote.amountOut;
  if (BigInt(terms.amountOut) < BigInt(least)) throw mismatchError('output', terms.amountOut, `at least ${least}`);
  const fee = BigInt(terms.referrerFee);
  const maxFee = (BigInt(terms.amountIn) * BigInt(ask.referrerFeeBps ?? 0)) / 10_000n;
  if (fee > maxFee) throw mismatchError('referrer fee', fee, `at most ${maxFee}`);
  if (fee > 0n && terms.referrer.toLowerCase() !== toBytes32(ask.referrer ?? '')) throw mismatchError('referrer', terms.referrer, ask.referrer);
  const latest = Date.now() / 1000 + MAX_REFUND_DAYS * 86_400;
  if (Number(terms.refundAt) > latest) throw mismatchError('refund time', terms.refundAt, `a time within ${MAX_REFUND_DAYS} days`);
  return terms;
}
