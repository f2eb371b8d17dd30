import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from '../app.js';
import type { KnownToken, Sentence } from '../flows/catalog.js';
import { short, showUnits, showUsd, usdOf } from '../amounts.js';
import * as icons from '../../../design/icons.js';
import { chainLogo, tokenLogo } from './logos.js';
import { chainName, notice, problem, screen } from './parts.js';

/** What is searched for, and what was found. */
interface Search {
  text: string;
  chainId: number | undefined;
  found: { tokens: KnownToken[]; sentences: Sentence[] } | undefined;
  error: unknown;
  doubtful: KnownToken | undefined;
  abort: AbortController | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const searches = new WeakMap<App, Search>();
const MOST = 100;

function searchOf(app: App): Search {
  let search = searches.get(app);
  if (!search) searches.set(app, (search = { text: '', chainId: undefined, found: undefined, error: undefined, doubtful: undefined, abort: undefined, timer: undefined }));
  return search;
}

function look(app: App, search: Search): void {
  search.abort?.abort();
  clearTimeout(search.timer);
  const text = search.text.trim();
  if (!text) {
    search.found = undefined;
    return app.changed();
  }
  const abort = new AbortController();
  search.abort = abort;
  search.timer = setTimeout(async () => {
    try {
      search.error = undefined;
      const found = await app.catalog.search(text, search.chainId, abort.signal);
      if (!abort.signal.aborted) search.found = found;
    } catch (error) {
      if (!abort.signal.aborted) search.error = error;
    }
    app.changed();
  }, 200);
  app.changed();
}

function leave(app: App): void {
  searches.delete(app);
  app.show('form');
}

export function pickerView(app: App): TemplateResult {
  const search = searchOf(app);
  const tokens = (search.text.trim() ? search.found?.tokens ?? [] : app.catalog.listed(search.chainId)).filter(({ chainId }) => app.offers(chainId));
  const sentences = app.method === 'swap' || app.method === 'transfer' ? search.found?.sentences ?? [] : [];
  const content = search.doubtful ? doubt(app, search, search.doubtful) : html`
    <div class="search">${icons.search()}<input data-focus type="search" class="text" enterkeyhint="search" autocomplete="off" spellcheck="false" maxlength="120"
      aria-label=${app.say('searchTokens')} placeholder=${app.say('searchTokens')} .value=${search.text}
      @input=${(event: Event) => { search.text = (event.target as HTMLInputElement).value; look(app, search); }} /></div>
    <div class="chains" role="group" aria-label=${app.say('network')}>
      ${chainButton(app, search, undefined)}${[...app.catalog.chains.keys()].filter((id) => app.offers(id)).map((id) => chainButton(app, search, id))}
    </div>
    ${problem(app, search.error)}
    <div class="token-list">
      ${sentences.length ? html`<h3>${app.say('suggestions')}</h3><ul>${sentences.slice(0, 3).map((item) => sentenceRow(app, item))}</ul>` : nothing}
      ${tokens.length ? html`<h3 class=${sentences.length ? '' : 'unseen'}>${app.say('tokens')}</h3><ul>${tokens.slice(0, MOST).map((token) => tokenRow(app, search, token))}</ul>`
        : search.text && search.found && !sentences.length ? html`<p class="empty muted">${app.say('noTokens')}</p>` : nothing}
    </div>`;
  return screen(app, app.say('selectToken'), html`<div class="picker">${content}</div>`, () => (search.doubtful ? (search.doubtful = undefined, app.changed()) : leave(app)));
}

function chainButton(app: App, search: Search, chainId: number | undefined): TemplateResult {
  const choose = () => {
    search.chainId = chainId;
    look(app, search);
  };
  const name = chainId === undefined ? app.say('allChains') : chainName(app, chainId);
  return html`<button class="chain ${chainId === undefined ? 'all' : ''}" aria-pressed=${search.chainId === chainId} title=${name} aria-label=${name} @click=${choose}>${chainId === undefined ? app.say('allChains') : chainLogo(app, chainId)}</button>`;
}

function sentenceRow(app: App, item: Sentence): TemplateResult {
  const choose = () => {
    searches.delete(app);
    app.applySentence(item);
  };
  return html`<li><button class="item" @click=${choose}>${tokenLogo(app, item.token)}<span class="item-main"><strong class="wrap">${item.description}</strong></span>${icons.outward()}</button></li>`;
}

function tokenRow(app: App, search: Search, token: KnownToken): TemplateResult {
  const isDoubtful = app.catalog.isLookAlike(token) || token.extensions?.isRiskToken === true;
  const balance = app.catalog.balanceOf(token);
  const worth = balance ? usdOf(balance, token) : undefined;
  const isCoin = /^(0x0{40}|1{32})$/.test(token.address);
  const choose = () => {
    if (isDoubtful) {
      search.doubtful = token;
      return app.changed();
    }
    take(app, token);
  };
  return html`<li><button class="item" @click=${choose}>
    ${tokenLogo(app, token)}
    <span class="item-main"><strong>${token.symbol}${isDoubtful ? html` <span class="warn-text">${icons.warn(16)}<span class="unseen">${app.say('lookAlike')}</span></span>` : nothing}</strong>
      <span class="muted small">${chainName(app, token.chainId)}${isCoin ? nothing : html` · <bdi class="mono">${short(token.address)}</bdi>`}</span></span>
    <span class="item-side">${balance ? html`<strong>${showUnits(balance, token.decimals, app.locale)}</strong><span class="muted small">${worth === undefined ? '' : showUsd(worth, app.locale)}</span>`
      : html`<span class="muted small">${token.extensions?.price?.usd ? showUsd(Number(token.extensions.price.usd), app.locale) : ''}</span>`}</span>
  </button></li>`;
}

function take(app: App, token: KnownToken): void {
  searches.delete(app);
  app.setToken(app.pickerSide, token);
}

function doubt(app: App, search: Search, token: KnownToken): TemplateResult {
  const words = app.say('lookAlikeAsk', { symbol: token.symbol, chain: chainName(app, token.chainId), address: token.address });
  return html`${notice('warn', token.extensions?.isRiskToken ? html`${app.say('risky')}. ${words}` : words)}
    <button class="cta" @click=${() => take(app, token)}>${app.say('useAnyway')}</button>
    <button class="cta second" @click=${() => { search.doubtful = undefined; app.changed(); }}>${app.say('back')}</button>`;
}
