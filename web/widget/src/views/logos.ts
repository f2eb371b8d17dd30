import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { App } from '../app.js';

/** Where pictures come from, and the chains by their ids. */
export type Pictures = Pick<App, 'client' | 'catalog'>;

/** Colours that people know some tokens by; the others get one from their name. */
const COLOURS: Readonly<Record<string, string>> = {
  ETH: '#627eea', WETH: '#4f66c4', USDC: '#2775ca', USDT: '#26a17b', DAI: '#d99b23', SOL: '#8b5cf6', WSOL: '#7446e0', WBTC: '#e07f1a', BTCB: '#e07f1a',
  CBBTC: '#1652f0', BNB: '#c99a0c', POL: '#7b3fe4', AVAX: '#d9393a', MON: '#6e54ff', LINK: '#2a5ada', UNI: '#e0368c', AAVE: '#9a6fc4', ARB: '#2d74da', OP: '#e0252f',
};

function colourOf(name: string): string {
  let hash = 7;
  for (const letter of name) hash = (hash * 31 + letter.codePointAt(0)!) >>> 0;
  return COLOURS[name.toUpperCase()] ?? `hsl(${hash % 360} 48% 44%)`;
}

/** Pictures come from the service alone: any other origin would learn who looks at what. */
const isOwn = (app: Pictures, url: string | null | undefined): url is string =>
  url != null && [app.client.baseUrl, app.client.fiatBaseUrl].some((base) => url.startsWith(`${new URL(base).origin}/`));

const remove = (event: Event) => (event.target as Element).remove();
/** Until the picture is there, the drawn one is seen. */
const reveal = (event: Event) => (event.target as Element).classList.add('on');

function picture(app: Pictures, url: string | null | undefined, name: string, className: string): TemplateResult {
  const letters = Array.from(name.replace(/[^\p{L}\p{N}]/gu, '')).slice(0, name.length > 3 ? 1 : 3).join('').toUpperCase();
  const size = letters.length > 2 ? 11 : letters.length > 1 ? 13 : 17;
  return html`<span class=${className} aria-hidden="true">
    <svg viewBox="0 0 40 40">${svg`<circle cx="20" cy="20" r="20" fill=${colourOf(name)}/><text x="20" y="20" fill="#fff" font-size=${size} font-weight="600" text-anchor="middle" dominant-baseline="central">${letters}</text>`}</svg>
    ${isOwn(app, url) ? html`<img src=${url} alt="" loading="lazy" decoding="async" @load=${reveal} @error=${remove} />` : nothing}
  </span>`;
}

/** A token with the badge of its chain. */
export function tokenLogo(app: Pictures, token: { symbol: string; chainId: number | undefined; logoURI?: string | null | undefined }, size = ''): TemplateResult {
  const chain = app.catalog.all.get(token.chainId ?? 0);
  return html`<span class="logo ${size}">${picture(app, token.logoURI, token.symbol, 'logo-main')}${chain ? picture(app, chain.icon, chain.name ?? '', 'logo-badge') : nothing}</span>`;
}

export function chainLogo(app: Pictures, chainId: number): TemplateResult {
  const chain = app.catalog.all.get(chainId);
  return picture(app, chain?.icon, chain?.name ?? '', 'logo-chain');
}

export const namedLogo = (app: Pictures, name: string, url: string | null | undefined): TemplateResult => picture(app, url, name, 'logo-chain');

/** A wallet's own picture is inside its announcement, so that showing it asks nobody. */
export const walletLogo = (name: string, icon: string | undefined): TemplateResult =>
  html`<span class="logo-wallet" aria-hidden="true">${icon ? html`<img src=${icon} alt="" />` : Array.from(name)[0]}</span>`;
