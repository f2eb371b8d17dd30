/** Exact conversions between what people write and raw units, and what is shown of them. */
import { formatUnits } from '../../sdk/src/format-units.js';

export { formatUnits };

/** `1.5` with 6 decimals is `1500000n`; a comma counts as the point. Nothing where it is no amount, or finer than the token is. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const match = /^(\d*)(?:[.,](\d*))?$/.exec(text.trim());
  if (!match || !/\d/.test(text)) return undefined;
  const part = (match[2] ?? '').replace(/0+$/, '');
  if (part.length > decimals) return undefined;
  return BigInt(`${match[1] || '0'}${part.padEnd(decimals, '0')}`);
}

const formats = new Map<string, Intl.NumberFormat>();

/** A format is made once: making one takes longer than all that is written with it. */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = locale + JSON.stringify(options);
  let format = formats.get(key);
  if (!format) formats.set(key, (format = new Intl.NumberFormat(locale, options)));
  return format;
}

/** An amount to be read: few digits, rounded down, so that nobody is shown more than there is. From 10,000 on it may be `compact`: `12.34K`. */
export function showUnits(raw: bigint | string, decimals: number, locale: string, notation?: 'compact'): string {
  const exact = formatUnits(raw, decimals);
  const size = Number(exact);
  const digits = size !== 0 && size < 1
    ? { maximumSignificantDigits: 5 }
    : size < 10_000 ? { maximumFractionDigits: 4 } : { maximumFractionDigits: 2, notation };
  const options = { ...digits, roundingMode: 'floor' } as Intl.NumberFormatOptions;
  return numberFormat(locale, options).format(exact as `${number}`);
}

/** What raw units are worth; only to be shown, never to be computed with. */
export function usdOf(raw: bigint | string | undefined, token: { decimals?: number | undefined; extensions?: { price?: { usd?: string | undefined } | null | undefined } | null | undefined }): number | undefined {
  const price = token.extensions?.price?.usd;
  return price === undefined || raw === undefined || token.decimals === undefined ? undefined : Number(formatUnits(raw, token.decimals)) * Number(price);
}

export function showUsd(value: number, locale: string, currency = 'USD'): string {
  const small = value !== 0 && Math.abs(value) < 0.01;
  const options = { style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...(small ? { maximumSignificantDigits: 2 } : {}) } as const;
  // Among text from right to left, `24.97 US$` stays in one piece.
  return numberFormat(locale, options).format(value).replace(/^\u200f(.*)/, '\u2066$1\u2069');
}

export function showPercent(fraction: number, locale: string): string {
  return numberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(fraction);
}

/** `0x7099…79C8`. */
export const short = (address: string): string => (address.length <= 13 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`);
