import { ServiceError } from '../errors.js';
import type { QuoteAsk, RouteQuote } from '../generated/types.js';
import type { PriceReference } from './price-reference.js';

/** The worst price that the caller accepts. At least one field is required, because the price comes from the service. */
export interface Bound {
  /** For exact input: the minimum output, in raw units. */
  minAmountOut?: string | undefined;
  /** For exact output: the maximum input, in raw units. */
  maxAmountIn?: string | undefined;
  /** Derives the bound from a reference price that does not come from the service. */
  price?: PriceReference | ((ask: QuoteAsk) => PriceReference | Promise<PriceReference>) | undefined;
}

/** A bound in raw units, with its origin. */
export interface Limit {
  field: 'minAmountOut' | 'maxAmountIn';
  amount: string;
  /** How the amount was derived, as text for users. */
  reason: string;
}

/** Returns the bound of this request, if there is one. Throws a `TypeError` if it is invalid. */
export async function limitOf(ask: QuoteAsk, bound: Bound): Promise<Limit | undefined> {
  const field = ask.tradeType === 'EXACT_OUTPUT' ? 'maxAmountIn' : 'minAmountOut';
  const amount = bound[field];
  if (amount !== undefined) {
    if (!/^\d{1,78}$/.test(amount)) throw new TypeError(`${field} must be an amount in raw units, not ${JSON.stringify(amount)}.`);
    return { field, amount, reason: 'the caller\'s bound' };
  }
  if (bound.price === undefined) return undefined;
  const price = typeof bound.price === 'function' ? await bound.price(ask) : bound.price;
  // Loaded on demand: bundles that never pass a price can leave it out.
  const { deriveBound } = await import('./price-reference.js');
  return { field, ...deriveBound(ask, price) };
}

/** Describes how a route violates the limit; `undefined` if it does not. */
export function violation({ field, amount, reason }: Limit, quote: RouteQuote): string | undefined {
  const describe = (name: string, actual: string | undefined, bound: string) => `${name} is ${actual ?? 'missing'}, expected ${bound} ${amount} (${reason})`;
  if (field === 'maxAmountIn') return BigInt(quote.amountIn) > BigInt(amount) ? describe('amountIn', quote.amountIn, 'at most') : undefined;
  const { minAmountOut } = quote;
  return minAmountOut == null || BigInt(minAmountOut) < BigInt(amount) ? describe('minAmountOut', minAmountOut ?? undefined, 'at least') : undefined;
}

/** The error for a swap without a bound; nothing is requested. */
export function missingBound(ask: QuoteAsk): TypeError {
  const field = ask.tradeType === 'EXACT_OUTPUT' ? 'maxAmountIn' : 'minAmountOut';
  return new TypeError(`A swap needs a bound, because the price comes from the service: pass ${field}, price or confirm.`);
}

/** The error for a quote without an acceptable route. */
export function noAcceptableRoute(problem?: string): ServiceError {
  return new ServiceError(`The quote has no acceptable route${problem ? `: ${problem}` : ''}.`, 'SVC3004');
}
