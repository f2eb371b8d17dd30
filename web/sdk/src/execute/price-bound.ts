import { ServiceError } from '../errors.js';
import type { QuoteAsk, RouteQuote } from '../generated/types.js';
import { knownDecimals } from './decimals.js';

/** The prices of both tokens, from a source other than the service. */
export interface PriceReference {
  /** The price of one whole input token, as a decimal such as `1.0002`. */
  from: string;
  /** The price of one whole output token, in the same currency. */
  to: string;
  /** The share of the value that the swap may cost. Defaults to 0.01 (one percent). Small amounts need more, because of gas. */
  tolerance?: number | undefined;
  /** Decimals of the input token. Required if the SDK does not know the token. */
  fromDecimals?: number | undefined;
  /** Decimals of the output token. Required if the SDK does not know the token. */
  toDecimals?: number | undefined;
}

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

const MILLION = 1_000_000n;

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
  return { field, ...derive(ask, price) };
}

/** Derives the bound from the reference price and the tolerance. Rounds in the caller's favor. */
function derive(ask: QuoteAsk, { from, to, tolerance = 0.01, fromDecimals, toDecimals }: PriceReference): Omit<Limit, 'field'> {
  const share = BigInt(Math.round(tolerance * 1e6) || 0);
  if (!(tolerance >= 0 && tolerance < 1)) throw new TypeError(`The tolerance must be at least 0 and below 1, not ${tolerance}.`);
  const [fromUnit, toUnit] = [unit(ask.fromChainId, ask.fromToken, fromDecimals), unit(ask.toChainId, ask.toToken, toDecimals)];
  const [[fromPrice, fromScale], [toPrice, toScale]] = [decimal(from), decimal(to)];
  const reason = `within ${Number(share) / 10_000} % of the reference price, ${from} to ${to}`;
  // `output` raw units of input are worth `input` raw units of output.
  const [input, output] = [fromPrice * toScale * toUnit, toPrice * fromScale * fromUnit];
  const amount = BigInt(ask.amount);
  const bound = ask.tradeType === 'EXACT_OUTPUT'
    ? (amount * output * (MILLION + share)) / (input * MILLION)
    : (amount * input * (MILLION - share) + output * MILLION - 1n) / (output * MILLION);
  return { amount: String(bound), reason };
}

function unit(chainId: number, token: string, configured: number | undefined): bigint {
  const known = knownDecimals(chainId, token);
  if (known !== undefined && configured !== undefined && known !== configured) {
    throw new TypeError(`${token} has ${known} decimals, not ${configured}.`);
  }
  const decimals = known ?? configured;
  if (decimals === undefined) throw new TypeError(`The decimals of ${token} are not known: pass them with the price.`);
  return 10n ** BigInt(decimals);
}

/** Parses a decimal as a numerator and a power of ten. */
function decimal(text: string): [bigint, bigint] {
  const [, whole, fraction = ''] = /^(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text) ?? [];
  const numerator = BigInt((whole ?? '') + fraction);
  if (whole === undefined || numerator === 0n) throw new TypeError(`A price must be a positive decimal, not ${JSON.stringify(text)}.`);
  return [numerator, 10n ** BigInt(fraction.length)];
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
