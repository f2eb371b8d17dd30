import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from '../app.js';
import { short, showUnits, showUsd, usdOf } from '../amounts.js';
import { wordsOf } from '../errors.js';
import * as icons from '../../../design/icons.js';
import { tokenLogo } from './logos.js';

export type Part = TemplateResult | typeof nothing;

/** What is known of a token where an amount of it is shown. */
export interface Shown {
  symbol: string;
  decimals: number | undefined;
  chainId: number | undefined;
  logoURI?: string | null | undefined;
  extensions?: { price?: { usd?: string | undefined } | null | undefined } | null | undefined;
}

/** Stands where the service did not say. */
export const UNKNOWN = '—';

/** An amount without its token. */
export const numberOf = (app: App, raw: bigint | string | null | undefined, { decimals }: Pick<Shown, 'decimals'>): string =>
  (raw == null || decimals === undefined ? UNKNOWN : showUnits(raw, decimals, app.locale));

export const amountOf = (app: App, raw: bigint | string | null | undefined, token: Shown): string => `${numberOf(app, raw, token)} ${token.symbol}`;

/** An amount of money. */
export const moneyOf = (app: App, amount: string | null | undefined, currency: string | undefined): string =>
  (amount == null || !currency ? UNKNOWN : showUsd(Number(amount), app.locale, currency));

export const shortOf = (address: string | null | undefined): string => (address ? short(address) : UNKNOWN);

export const chainName = (app: App, chainId: number | undefined): string =>
  (chainId === undefined ? UNKNOWN : app.catalog.all.get(chainId)?.name ?? String(chainId));

export const usd = (app: App, raw: bigint | string | undefined, token: Shown): string => {
  const value = usdOf(raw, token);
  return value === undefined ? '' : showUsd(value, app.locale);
};

/** `~4 s`, `~3 min`. */
export const duration = (app: App, seconds: number): string =>
  (seconds < 90 ? app.say('seconds', { count: Math.max(1, Math.round(seconds)) }) : app.say('minutes', { count: Math.round(seconds / 60) }));

/** Time that is left, as `4:05` or `1:02:03`. */
export function clockOf(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, at) => (at ? String(part).padStart(2, '0') : part)).join(':');
}

/** A screen of its own inside the widget, with a way back. */
export function screen(app: App, title: string, content: unknown, back: (() => void) | undefined = () => app.show('form')): TemplateResult {
  return html`<header class="head">
    ${back ? html`<button class="icon-button" aria-label=${app.say('back')} @click=${back}>${icons.arrowBack()}</button>` : nothing}
    <h2 tabindex="-1">${title}</h2>
  </header>
  <div class="body">${content}</div>`;
}

export const notice = (kind: 'warn' | 'bad' | 'info', text: unknown, action: unknown = nothing): TemplateResult =>
  html`<div class="notice ${kind}" role=${kind === 'bad' ? 'alert' : 'note'}>${icons.warn()}<div>${text}${action}</div></div>`;

export const problem = (app: App, error: unknown, action: unknown = nothing): Part => (error === undefined ? nothing : notice('bad', wordsOf(error, app.say), action));

export const row = (term: unknown, value: unknown): TemplateResult => html`<div><dt>${term}</dt><dd>${value}</dd></div>`;

/** From one amount to another, as on a receipt. */
export function exchange(app: App, from: Shown, amountIn: string | undefined, to: Shown, amountOut: string | undefined): TemplateResult {
  const line = (label: string, raw: string | undefined, token: Shown) => html`<div class="leg">
    ${tokenLogo(app, token, 'large')}
    <div><span class="muted small">${label}</span><strong>${amountOf(app, raw, token)}</strong>
      <span class="muted small">${app.say('on', { chain: chainName(app, token.chainId) })}${usd(app, raw, token) ? html` · ${usd(app, raw, token)}` : nothing}</span></div>
  </div>`;
  return html`<div class="exchange">${line(app.say('youPay'), amountIn, from)}<span class="between" aria-hidden="true">${icons.arrowDown()}</span>${line(app.say('youReceive'), amountOut, to)}</div>`;
}

const copiedAt = new Map<string, number>();

/** Copies, and says so for two seconds. */
export function copyButton(app: App, text: string, label: string): TemplateResult {
  const isCopied = Date.now() - (copiedAt.get(text) ?? 0) < 2000;
  const copy = async () => {
    await navigator.clipboard.writeText(text).catch(() => {});
    copiedAt.set(text, Date.now());
    app.changed();
  };
  return html`<button class="icon-button small" aria-label=${isCopied ? app.say('copied') : `${app.say('copy')}: ${label}`} @click=${copy}>${isCopied ? icons.check(18) : icons.copy()}</button>`;
}

export function txLink(app: App, chainId: number | undefined, txHash: string | null | undefined): Part {
  if (!txHash) return nothing;
  const link = app.catalog.explorerLink(chainId, txHash);
  const text = short(txHash);
  return link
    ? html`<a href=${link} target="_blank" rel="noreferrer noopener" aria-label="${app.say('viewTx')} ${text}, ${app.say('newWindow')}"><bdi>${text}</bdi>${icons.outward()}</a>`
    : html`<bdi class="mono">${text}</bdi>`;
}
