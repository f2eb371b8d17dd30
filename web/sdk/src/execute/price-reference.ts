import type { QuoteAsk } from '../generated/types.js';
import { knownDecimals } from './decimals.js';
import type { Limit } from './price-bound.js';

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

const MILLION = 1_000_000n;

/** Derives the bound from the reference price and the tolerance. Rounds in the caller's favor. */
export function deriveBound(ask: QuoteAsk, { from, to, tolerance = 0.01, fromDecimals, toDecimals }: PriceReference): Omit<Limit, 'field'> {
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
