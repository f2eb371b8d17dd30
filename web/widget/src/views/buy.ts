import { html, nothing, type TemplateResult } from 'lit-html';
import type { FiatQuote } from '@causeway/sdk';
import type { App } from '../app.js';
import { obstacleOf } from '../asks.js';
import { known } from '../flows/catalog.js';
import { addressField, tokenButton } from './form.js';
import * as icons from '../../../design/icons.js';
import { namedLogo } from './logos.js';
import { amountOf, duration, moneyOf, notice, numberOf, problem, row, UNKNOWN, usd, type Part } from './parts.js';

export function buyForm(app: App): TemplateResult {
  const { to, fiatQuotes } = app;
  const { quote, quotes, isLoading } = fiatQuotes;
  const currencies = [...new Set([app.fiatCurrency, ...app.providers.flatMap((provider) => provider.fiatCurrencies ?? [])])].sort();
  const received = quote && to ? numberOf(app, outputOf(quote), to) : '0';
  const typed = (event: Event) => {
    const input = event.target as HTMLInputElement;
    const clean = input.value.replace(/,/g, '.').replace(/[^\d.]/g, '').replace(/(\..*)\./g, '$1');
    if (clean !== input.value) input.value = clean;
    app.fiatAmount = clean;
    app.update();
  };
  return html`<div class="columns ${quotes.length || isLoading ? 'has-routes' : ''}">
    <div class="panels">
      <div class="panel"><label class="panel-label" for="fiat-amount">${app.say('spend')}</label>
        <div class="panel-row"><input id="fiat-amount" class="amount" dir="ltr" inputmode="decimal" autocomplete="off" placeholder="0" maxlength="12" .value=${app.fiatAmount} @input=${typed} />
          <span class="select"><select id="currency" aria-label=${app.say('currency')} @change=${(event: Event) => { app.fiatCurrency = (event.target as HTMLSelectElement).value; app.update(); }}>
            ${currencies.map((code) => html`<option value=${code} ?selected=${code === app.fiatCurrency}>${code}</option>`)}</select>${icons.chevron()}</span></div>
        <div class="panel-foot"><span>${quote ? app.say('feesIncluded', { amount: moneyOf(app, quote.totalFee, quote.fiatCurrency) }) : html`&nbsp;`}</span></div></div>
      <span class="flip" aria-hidden="true">${icons.arrowDown()}</span>
      <div class="panel"><span class="panel-label">${app.say('youReceive')}</span>
        <div class="panel-row"><output class="amount ${isLoading && !quote ? 'waiting' : ''}" for="fiat-amount">${received}</output>${tokenButton(app, 'to')}</div>
        <div class="panel-foot"><span>${quote && to ? usd(app, outputOf(quote), to) : html`&nbsp;`}</span></div></div>
    </div>
    <div class="fields">${addressField(app, 'recipient', 'recipient')}</div>
    ${offers(app)}
    <div class="go">${problem(app, isLoading ? undefined : fiatQuotes.error)}${cta(app)}</div>
  </div>`;
}

function offers(app: App): Part {
  const { quotes, quote, refusals, isLoading } = app.fiatQuotes;
  if (quotes.length === 0 && refusals.length === 0) return isLoading ? html`<div class="routes" aria-hidden="true"><div class="route ghost"><span class="bone round"></span><span class="bone wide"></span><span class="bone"></span></div></div>` : nothing;
  return html`<div class="routes" role="group" aria-label=${app.say('offers')}>
    <div class="route-list open" role="radiogroup" aria-label=${app.say('offers')}>${quotes.map((one) => offer(app, one, one === quote, one === quotes[0]))}</div>
    ${refusals.map((one) => notice('info', html`<strong>${nameOf(app, one.provider)}.</strong> ${one.message ?? ''}`))}
    ${quote ? facts(app, quote) : nothing}
  </div>`;
}

const nameOf = (app: App, id = UNKNOWN) => app.providers.find((provider) => provider.id === id)?.name ?? id;
const offererOf = (app: App, { providerName, provider }: FiatQuote) => providerName ?? nameOf(app, provider);
const outputOf = ({ expectedOutputAmount, cryptoAmount }: FiatQuote) => expectedOutputAmount ?? cryptoAmount;

function offer(app: App, quote: FiatQuote, isChosen: boolean, isBest: boolean): TemplateResult {
  const { to } = app;
  const choose = () => {
    app.fiatQuotes.provider = quote.provider;
    app.fiatQuotes.routeId = undefined;
    app.changed();
  };
  const methods = quote.paymentMethods?.flatMap(({ name, id }) => name ?? id ?? []).join(', ');
  // The target's own record may come later than the offer.
  const token = to ?? known(quote.token);
  const amount = token ? amountOf(app, outputOf(quote), token) : '…';
  return html`<button class="route" role="radio" aria-checked=${isChosen} @click=${choose}>${namedLogo(app, offererOf(app, quote), quote.providerLogoUrl)}
    <span class="route-main"><strong>${offererOf(app, quote)}</strong><span class="tags">${isBest ? html`<span class="tag good">${app.say('best')}</span>` : nothing}${methods ? html`<span class="tag">${methods}</span>` : nothing}</span></span>
    <span class="route-side"><span>${amount}</span><span class="muted small">${app.say('fees', { amount: moneyOf(app, quote.totalFee, quote.fiatCurrency) })}</span></span></button>`;
}

const FEES: Readonly<Record<string, 'feeProvider' | 'feeNetwork' | 'feeSwap'>> = { provider: 'feeProvider', network: 'feeNetwork', swap: 'feeSwap' };

const feeName = (app: App, kind = ''): string => (FEES[kind] ? app.say(FEES[kind]) : kind);

function facts(app: App, quote: FiatQuote): TemplateResult {
  const { to } = app;
  const money = (amount: string | undefined) => moneyOf(app, amount, quote.fiatCurrency);
  const chooseRoute = (event: Event) => {
    app.fiatQuotes.routeId = (event.target as HTMLSelectElement).value;
    app.changed();
  };
  const routes = quote.routes ?? [];
  return html`<dl class="facts">
    ${row(app.say('details'), quote.swapStrategy === 'jump' ? app.say('via') : app.say('direct'))}
    ${routes.length > 1 && to ? row(html`<label for="jump-route">${app.say('swapRoute')}</label>`, html`<span class="select small"><select id="jump-route" @change=${chooseRoute}>${routes.map((route) => html`<option value=${route.routeId} ?selected=${route.routeId === app.fiatQuotes.routeId}>${amountOf(app, route.quote?.amountOut, to)}${route.quote ? ` · ${duration(app, route.quote.expectedDurationSeconds)}` : ''}</option>`)}</select>${icons.chevron()}</span>`) : nothing}
    ${(quote.fees ?? []).map((fee) => html`<div class="sub"><dt>${feeName(app, fee.kind)}</dt><dd>${money(fee.amount)}</dd></div>`)}
    ${to ? row(app.say('least'), amountOf(app, quote.minOutputAmount, to)) : nothing}
    ${quote.minFiatAmount && quote.maxFiatAmount ? row(offererOf(app, quote), app.say('limits', { min: money(quote.minFiatAmount), max: money(quote.maxFiatAmount) })) : nothing}
  </dl>`;
}

function cta(app: App): TemplateResult {
  const obstacle = obstacleOf(app);
  const { quote } = app.fiatQuotes;
  const root = (event: Event) => (event.currentTarget as Element).getRootNode() as ShadowRoot;
  const main = (text: string, act: ((event: Event) => void) | undefined, isBusy = false) =>
    html`<button id="go" class="cta" ?disabled=${!act} @click=${act ?? nothing}>${isBusy ? icons.spinner() : nothing}${text}</button>`;
  switch (obstacle) {
    case 'loading': return main(app.say('loading'), undefined, true);
    case 'quoting': return main(app.say('findingRoutes'), undefined, true);
    case 'recipient': return main(app.say('enterRecipient'), (event) => root(event).getElementById('recipient')?.focus());
    case 'no-route': return main(app.say('noRoute'), undefined);
    case undefined: return html`${main(app.say('continueTo', { provider: offererOf(app, quote!) }), (event) => start(app, root(event)))}
      ${(app.options.checkout ?? 'popup') === 'popup' ? html`<p class="under small muted">${app.say('opensCheckout', { provider: offererOf(app, quote!) })}</p>` : nothing}`;
    default: return main(app.say('enterAmount'), undefined);
  }
}

/** A frame's place is there only after the purchase is shown. */
function start(app: App, root: ShadowRoot): void {
  const frame = async () => {
    for (;;) {
      const found = root.querySelector<HTMLElement>('.checkout');
      if (found) return found;
      await new Promise(requestAnimationFrame);
    }
  };
  app.startPurchase(frame);
}
