import { html, nothing, type TemplateResult } from 'lit-html';
import { formatUnits, short, showUnits } from '../../../widget/src/amounts.js';
import { keyOf } from '../../../widget/src/flows/catalog.js';
import { catalog, chainName, timeTag, type Part } from '../site.js';
import type { Decoded, Value } from './abi.js';

export const isSolana = (chainId: number): boolean => catalog.familyOf(chainId) === 'solana';
export const coinOf = (chainId: number) => catalog.chains.get(chainId)?.nativeCurrency;

export const txPath = (chainId: number, hash: string): string => `/sandbox/tx/${chainId}/${hash}`;
export const addressPath = (chainId: number, address: string): string => `/sandbox/address/${chainId}/${address}`;
export const blockPath = (chainId: number, number: number | string): string => `/sandbox/block/${chainId}/${number}`;

export const txAnchor = (chainId: number, hash: string): TemplateResult => html`<a href=${txPath(chainId, hash)} title=${hash}><bdi class="mono">${short(hash)}</bdi></a>`;
export const blockAnchor = (chainId: number, number: number | string): TemplateResult => html`<a href=${blockPath(chainId, number)}>${Number(number).toLocaleString('en')}</a>`;

/** Names of well-known contracts by their addresses; filled when the page starts. */
export const labels = new Map<string, string>();

/** Who an address is, where that is known: a contract of ours, a token, a wallet. */
export function labelOf(chainId: number, address: string): string | undefined {
  const token = catalog.top.find((one) => keyOf(one) === keyOf({ chainId, address }));
  return labels.get(address.toLowerCase()) ?? token?.symbol;
}

export function addressAnchor(chainId: number, address: string, isWhole = false): TemplateResult {
  const label = labelOf(chainId, address);
  return html`<a href=${addressPath(chainId, address)} title=${address}>${label ? html`${label} ` : nothing}<bdi class="mono ${isWhole ? 'break' : ''}">${isWhole ? address : short(address)}</bdi></a>`;
}

/** An amount of a chain's coin. */
export function coin(chainId: number, raw: bigint | string): string {
  const { decimals = 18, symbol = '' } = coinOf(chainId) ?? {};
  return `${showUnits(BigInt(raw), decimals, 'en')} ${symbol}`;
}

/** An amount of a token, in its units where the catalog knows it. */
export function tokenAmount(chainId: number, address: string, raw: bigint): TemplateResult {
  const token = catalog.top.find((one) => keyOf(one) === keyOf({ chainId, address }));
  return token ? html`<span title="${formatUnits(raw, token.decimals)}">${showUnits(raw, token.decimals, 'en')} ${token.symbol}</span>` : html`${raw.toString()} of ${addressAnchor(chainId, address)}`;
}

/** The values of a call or event as a list. */
export const decodedView = (chainId: number, { values }: Decoded): TemplateResult =>
  html`<dl class="values">${values.map(({ name, type, value }) => html`<div><dt>${name} <span class="muted small">${type.length > 40 ? 'tuple' : type}</span></dt><dd>${valueView(chainId, value, name)}</dd></div>`)}</dl>`;

/** Addresses are links, also where a contract keeps them in 32 bytes; seconds are times. */
function valueView(chainId: number, value: Value, name = ''): unknown {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : html`<ul class="plain-list">${value.map((one) => html`<li>${valueView(chainId, one)}</li>`)}</ul>`;
  if (typeof value === 'object') return html`<dl class="values">${Object.entries(value).map(([name, one]) => html`<div><dt>${name}</dt><dd>${valueView(chainId, one, name)}</dd></div>`)}</dl>`;
  const text = String(value);
  const address = /^0x(?:0{24})?([0-9a-f]{40})$/i.exec(text)?.[1];
  if (address && !/^0{32}/.test(address)) return addressAnchor(chainId, `0x${address}`);
  if (/(Deadline|At|Before|After)$/.test(name) && /^1\d{9}$/.test(text)) return html`${timeTag(Number(text) * 1000)} <span class="muted small">${text}</span>`;
  return html`<bdi class="mono break">${text.length > 200 ? `${text.slice(0, 200)}…` : text}</bdi>`;
}

/** Where one is: the sandbox, the chain, the thing. */
export const trail = (chainId: number, what: unknown): TemplateResult =>
  html`<nav aria-label="Place" class="trail"><a href="/sandbox">Sandbox</a> <span aria-hidden="true">/</span> ${chainName(chainId)} <span aria-hidden="true">/</span> ${what}</nav>`;

export const fact = (term: unknown, value: unknown): Part => (value === nothing || value === undefined ? nothing : html`<div><dt>${term}</dt><dd>${value}</dd></div>`);
