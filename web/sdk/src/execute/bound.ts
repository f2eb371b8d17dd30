import { ServiceError } from '../errors.js';
import type { QuoteAsk, RouteQuote } from '../generated/types.js';
import { decimalsOf } from './decimals.js';

/** What the two tokens are worth, by somebody other than the service. */
export interface PriceReference {
  /** The price of one whole input token, a decimal such as `1.0002`. */
  from: string;
  /** The price of one whole output token, in the same currency. */
  to: string;
  /** The share that the swap may cost: 0.01, one percent, unless told. Small amounts need more, for gas. */
  tolerance?: number | undefined;
  /** Needed for tokens whose decimals the SDK does not know itself. */
  fromDecimals?: number | undefined;
  toDecimals?: number | undefined;
}

/** How bad a price may be: at least one of them must be given, since the service alone names the price. */
export interface Bound {
  /** Exact input: the least output, in raw units. */
  minAmountOut?: string | undefined;
  /** Exact output: the most input, in raw units. */
  maxAmountIn?: string | undefined;
  /** Derives the bound from a price that does not come from the service. */
  price?: PriceReference | ((ask: QuoteAsk) => PriceReference | Promise<PriceReference>) | undefined;
}

/** A bound in raw units, and where it comes from. */
export interface Limit {
  field: 'minAmountOut' | 'maxAmountIn';
  amount: string;
  /** In words, for people. */
  reason: string;
}

const MILLION = 1_000_000n;

/** The bound for this request; a `TypeError` where it has none that can be used. */
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

/** What the reference gives, less the tolerance; rounded so that the caller never gets the worse of it. */
function derive(ask: QuoteAsk, { from, to, tolerance = 0.01, fromDecimals, toDecimals }: PriceReference): Omit<Limit, 'field'> {
  const share = BigInt(Math.round(tolerance * 1e6) || 0);
  if (!(tolerance >= 0 && tolerance < 1)) throw new TypeError(`The tolerance must be a fraction from 0 to 1, not ${tolerance}.`);
  const [fromUnit, toUnit] = [unit(ask.fromChainId, ask.fromToken, fromDecimals), unit(ask.toChainId, ask.toToken, toDecimals)];
  const [[fromPrice, fromScale], [toPrice, toScale]] = [decimal(from), decimal(to)];
  const reason = `within ${Number(share) / 10_000} % of the reference price, ${from} to ${to}`;
  // One raw unit of input is worth `input` raw units of output to one of `output`.
  const [input, output] = [fromPrice * toScale * toUnit, toPrice * fromScale * fromUnit];
  const amount = BigInt(ask.amount);
  const exact = ask.tradeType === 'EXACT_OUTPUT'
    ? (amount * output * (MILLION + share)) / (input * MILLION)
    : (amount * input * (MILLION - share) + output * MILLION - 1n) / (output * MILLION);
  return { amount: String(exact), reason };
}

function unit(chainId: number, token: string, given: number | undefined): bigint {
  const own = decimalsOf(chainId, token);
  if (own !== undefined && given !== undefined && own !== given) throw new TypeError(`${token} has ${own} decimals, not ${given}.`);
  const decimals = own ?? given;
  if (decimals === undefined) throw new TypeError(`The decimals of ${token} are not known: pass them with the price.`);
  return 10n ** BigInt(decimals);
}

/** A decimal as a numerator and its power of ten. */
function decimal(text: string): [bigint, bigint] {
  const [, whole, part = ''] = /^(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text) ?? [];
  const numerator = BigInt((whole ?? '') + part);
  if (whole === undefined || numerator === 0n) throw new TypeError(`A price must be a positive decimal, not ${JSON.stringify(text)}.`);
  return [numerator, 10n ** BigInt(part.length)];
}

/** What is wrong with a route's amounts by this limit, in words. */
export function beyond({ field, amount, reason }: Limit, quote: RouteQuote): string | undefined {
  const bad = (what: string, is: string | undefined, most: string) => `${what} is ${is ?? 'missing'}, not ${most} ${amount} (${reason})`;
  if (field === 'maxAmountIn') return BigInt(quote.amountIn) > BigInt(amount) ? bad('amountIn', quote.amountIn, 'at most') : undefined;
  const { minAmountOut: least } = quote;
  return least == null || BigInt(least) < BigInt(amount) ? bad('minAmountOut', least, 'at least') : undefined;
}

/** No bound was given: nothing is asked for at all. */
export function unbounded(ask: QuoteAsk): TypeError {
  const field = ask.tradeType === 'EXACT_OUTPUT' ? 'maxAmountIn' : 'minAmountOut';
  return new TypeError(`A swap needs a bound, since the service alone names the price: pass ${field}, price or confirm.`);
}

/** No route is within the bound. */
export function noRoute(problem?: string): ServiceError {
  return new ServiceError(`No route of the quote was acceptable${problem ? `: its ${problem}` : ''}.`, 'SVC3004');
}
