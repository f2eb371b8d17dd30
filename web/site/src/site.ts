import { createClient } from '@causeway/sdk';
import { html, nothing, type TemplateResult } from 'lit-html';
import * as icons from '../../design/icons.js';
import { short, showUnits, showUsd, usdOf } from '../../widget/src/amounts.js';
import { Catalog, keyOf, type KnownToken } from '../../widget/src/flows/catalog.js';

/** The service that served this page. */
export const client = createClient({ baseUrl: location.origin });
export const catalog = new Catalog(client, undefined);
/** What the widget's pictures need. */
export const site = { client, catalog };

export type Part = TemplateResult | typeof nothing;

/** Whether this service moves play money; the service says so in the page itself. */
export const isSandbox = document.documentElement.dataset.mode === 'sandbox';

/** The element with that id, which the page's own HTML promises. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no element "${id}"`);
  return node as T;
}

/** JSON of this service; an error carries the service's own words. */
export async function getJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(path, { ...init, headers: { accept: 'application/json', ...init.headers } });
  const body = (await response.json().catch(() => null)) as (T & { message?: string }) | null;
  if (!response.ok) throw Object.assign(new Error(body?.message ?? `The service answered ${response.status}.`), { status: response.status });
  return body as T;
}

export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const tokens = new Map<string, Promise<KnownToken | undefined>>();

/** A token with its price, fetched once. */
export function tokenOf(chainId: number | undefined, address: string | null | undefined): Promise<KnownToken | undefined> {
  if (chainId === undefined || !address) return Promise.resolve(undefined);
  const key = keyOf({ chainId, address });
  let found = tokens.get(key);
  if (!found) tokens.set(key, (found = catalog.resolve({ chainId, address }).catch(() => undefined)));
  return found;
}

export const chainName = (chainId: number | undefined | null): string => (chainId == null ? '—' : catalog.all.get(chainId)?.name ?? `Chain ${chainId}`);

type Named = Pick<KnownToken, 'symbol'> & { decimals?: number | undefined };

export const amountText = (raw: string | bigint | null | undefined, token: Named | undefined): string =>
  (raw == null || token?.decimals === undefined ? '—' : `${showUnits(raw, token.decimals, 'en')} ${token.symbol}`);

/** What an amount is worth at the catalog's price, or nothing. */
export function usdText(raw: string | bigint | null | undefined, token: KnownToken | undefined): string {
  const value = raw == null || !token ? undefined : usdOf(raw, token);
  return value === undefined ? '' : showUsd(value, 'en');
}

export const shortText = (text: string | null | undefined): string => (text ? short(text) : '—');

/** A link to a transaction at the chain's explorer. */
export function txLink(chainId: number | undefined | null, hash: string | null | undefined): Part {
  if (!hash) return nothing;
  const link = chainId == null ? undefined : catalog.explorerLink(chainId, hash);
  const text = html`<bdi class="mono">${short(hash)}</bdi>`;
  return link ? html`<a class="tx" href=${link} target=${isOwn(link) ? nothing : '_blank'} rel="noreferrer noopener" title=${hash}>${text}${icons.outward()}</a>` : html`<span title=${hash}>${text}</span>`;
}

export function addressLink(chainId: number | undefined | null, address: string | null | undefined): Part {
  if (!address) return nothing;
  const base = chainId == null ? undefined : catalog.all.get(chainId)?.explorerUrl;
  const text = html`<bdi class="mono">${short(address)}</bdi>`;
  const path = address.startsWith('0x') || base?.startsWith(location.origin) ? 'address' : 'account';
  return base ? html`<a href="${base.replace(/\/+$/, '')}/${path}/${address}" title=${address} target=${isOwn(base) ? nothing : '_blank'} rel="noreferrer noopener">${text}</a>` : html`<span title=${address}>${text}</span>`;
}

const isOwn = (link: string): boolean => link.startsWith(`${location.origin}/`);

/** A button that copies, and says so for two seconds. */
export function copyButton(text: string, what: string): TemplateResult {
  const copy = async (event: Event) => {
    const button = event.currentTarget as HTMLElement;
    button.dataset.said = (await copied(text)) ? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => delete button.dataset.said, 2000);
  };
  return html`<button type="button" class="icon-button copy-button" aria-label="Copy ${what}" @click=${copy}>${icons.copy()}</button>`;
}

/** The clipboard exists over HTTPS and on loopback only. */
export async function copied(text: string): Promise<boolean> {
  return navigator.clipboard ? navigator.clipboard.writeText(text).then(() => true, () => false) : false;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Nov 18, 2026, 04:06:40`, in the reader's time zone. The first format of `Intl` would take 20 ms, most of what drawing an order takes. */
export function showTime(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${MONTHS[date.getMonth()]} ${date.getDate()}, ${date.getFullYear()}, ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

/** A time of day with its date, exact in the title. */
export const timeTag = (at: string | number | undefined | null): Part => {
  const date = new Date(at ?? NaN);
  return Number.isNaN(date.getTime()) ? nothing : html`<time datetime=${date.toISOString()} title=${date.toISOString()}>${showTime(date)}</time>`;
};

/** `4 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const units: [number, string][] = [[86_400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const first = units.findIndex(([size]) => whole >= size);
  if (first === -1) return '0 s';
  const [size, name] = units[first]!;
  const next = units[first + 1];
  const rest = next ? Math.floor((whole % size) / next[0]) : 0;
  return `${Math.floor(whole / size)} ${name}${rest && next ? ` ${rest} ${next[1]}` : ''}`;
}

/** `12 s ago`, `8 min ago`: the exact time is in the title. */
export const ago = (at: string | undefined | null): Part =>
  (at ? html`<time datetime=${at} title=${at}>${span((Date.now() - Date.parse(at)) / 1000).split(' ').slice(0, 2).join(' ')} ago</time>` : nothing);

export const failure = (error: unknown): TemplateResult => html`<div class="notice bad" role="alert">${icons.warn()}<div>${wordsOf(error)}</div></div>`;
