import { html, nothing, type TemplateResult } from 'lit-html';
import type { Fee, StreamedRoute } from '@causeway/sdk';
import type { App } from '../app.js';
import { formatUnits, numberFormat, showPercent, showUsd } from '../amounts.js';
import type { KnownToken } from '../flows/catalog.js';
import { expiryOf, fillerOf, isGuaranteed, kindOf } from '../flows/quotes.js';
import { costOf } from './form.js';
import * as icons from '../../../design/icons.js';
import { namedLogo } from './logos.js';
import { amountOf, clockOf, duration, notice, row, usd, type Part } from './parts.js';

const FEES: Readonly<Record<string, 'feeFiller' | 'feeGas' | 'feeReferrer' | 'feeProtocol'>> = { filler: 'feeFiller', gas: 'feeGas', referrer: 'feeReferrer', protocol: 'feeProtocol' };

/** The widgets whose lists of routes are open, and those that show each fee. */
const comparing = new WeakSet<App>();
const itemizing = new WeakSet<App>();

const toggle = (open: WeakSet<App>, app: App) => () => {
  if (!open.delete(app)) open.add(app);
  app.changed();
};

export function routesView(app: App): Part {
  const { routes, route, isLoading, lost } = app.quotes;
  if (!route) return isLoading ? skeleton(app) : nothing;
  const isOpen = comparing.has(app);
  return html`<div class="routes" role="group" aria-label=${app.say('routes')}>
    ${lost ? notice('warn', app.say('routeLost', { filler: lost })) : nothing}
    <div class="route-list ${isOpen ? 'open' : ''}" role="radiogroup" aria-label=${app.say('routes')}>${routes.map((one) => routeRow(app, one, one === route))}</div>
    ${routes.length > 1 ? html`<button class="more narrow-only" aria-expanded=${isOpen} @click=${toggle(comparing, app)}>${isOpen ? app.say('hideRoutes') : app.say('compareRoutes', { count: routes.length })}${icons.chevron()}</button>` : nothing}
    ${details(app, route)}
  </div>`;
}

function skeleton(app: App): TemplateResult {
  return html`<div class="routes" aria-hidden="true"><div class="route ghost"><span class="bone round"></span><span class="bone wide"></span><span class="bone"></span></div><p class="under small muted">${app.say('findingRoutes')}</p></div>`;
}

function routeRow(app: App, route: StreamedRoute, isChosen: boolean): TemplateResult {
  const { quote } = route;
  const isOut = app.isExactOutput;
  const token = (isOut ? app.from : app.to)!;
  const raw = isOut ? quote.amountIn : quote.amountOut;
  const { routes } = app.quotes;
  const fastest = Math.min(...routes.map((one) => one.quote.expectedDurationSeconds));
  const isFastest = quote.expectedDurationSeconds === fastest && routes.some((one) => one.quote.expectedDurationSeconds > fastest);
  const cost = costOf(app, route);
  const choose = () => {
    app.quotes.chosen = kindOf(route);
    app.quotes.lost = undefined;
    app.changed();
  };
  const tags = [
    route === routes[0] ? html`<span class="tag good">${app.say('best')}</span>` : nothing,
    isFastest ? html`<span class="tag">${icons.bolt()}${app.say('fastest')}</span>` : nothing,
    isGuaranteed(route) ? html`<span class="tag">${icons.shield()}${app.say('guaranteed')}</span>` : nothing,
    String(route.depositMethods) === 'PERMIT2' ? html`<span class="tag">${app.say('noGas')}</span>` : nothing,
    app.liquidity?.tag(app, route),
  ];
  return html`<button class="route" role="radio" aria-checked=${isChosen} @click=${choose} @keydown=${move}>
    ${namedLogo(app, fillerOf(route), route.icon)}
    <span class="route-main"><strong>${amountOf(app, raw, token)}</strong><span class="tags">${tags}</span></span>
    <span class="route-side"><span>${usd(app, raw, token)}</span><span class="muted small">${cost === undefined ? nothing : html`<bdi>${showPercent(Math.max(0, cost), app.locale)}</bdi> · `}<bdi>${duration(app, quote.expectedDurationSeconds)}</bdi></span></span>
  </button>`;
}

/** Arrow keys move between the routes, as in every group of choices. */
function move(event: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [...(event.currentTarget as Element).parentElement!.children] as HTMLElement[];
  const next = all[(all.indexOf(event.currentTarget as HTMLElement) + step + all.length) % all.length];
  next?.focus();
  next?.click();
}

/** One unit of what is paid in what is received. */
function rateOf(app: App, route: StreamedRoute): string {
  const { from, to } = app as { from: KnownToken; to: KnownToken };
  const rate = Number(formatUnits(route.quote.amountOut, to.decimals)) / Number(formatUnits(route.quote.amountIn, from.decimals));
  const shown = numberFormat(app.locale, { maximumSignificantDigits: 6 }).format(rate);
  return `1 ${from.symbol} = ${shown} ${to.symbol}`;
}

const feeSum = (fees: readonly Fee[] | undefined): number | undefined =>
  (fees?.length && fees.every((fee) => fee.usd != null) ? fees.reduce((sum, fee) => sum + Number(fee.usd), 0) : undefined);

/** What the chosen route costs, brings and guarantees. */
export function details(app: App, route: StreamedRoute): TemplateResult {
  const { quote } = route;
  const cost = costOf(app, route);
  const fees = feeSum(quote.fees);
  const left = expiryOf(route) - Date.now();
  const percent = cost === undefined ? nothing : html`<bdi>${showPercent(Math.max(0, cost), app.locale)}</bdi>`;
  const costs = fees === undefined ? percent : html`${percent}${cost === undefined ? nothing : ' · '}<bdi>${showUsd(fees, app.locale)}</bdi>`;
  return html`${app.liquidity?.custody(app, route)}${route.warnings?.map((one) => notice('warn', one.message))}
  <dl class="facts">
    ${row(app.say('rate'), html`<bdi>${rateOf(app, route)}</bdi>`)}
    ${costs !== nothing ? row(app.say('cost'), quote.fees?.length ? html`<button class="plain" aria-expanded=${itemizing.has(app)} @click=${toggle(itemizing, app)}>${costs}${icons.chevron()}</button>` : costs) : nothing}
    ${quote.fees?.length && itemizing.has(app) ? quote.fees.map((fee) => feeRow(app, fee)) : nothing}
    ${row(app.say('time'), duration(app, quote.expectedDurationSeconds))}
    ${row(app.say('least'), html`${amountOf(app, quote.minAmountOut, app.to!)}${isGuaranteed(route) ? html` <span class="good-text" title=${app.say('guaranteed')}>${icons.shield()}<span class="unseen">${app.say('guaranteed')}</span></span>` : nothing}`)}
    ${left < Infinity ? row(app.say('priceHolds'), html`<span class="hold">${app.quotes.isLoading || left <= 0 ? app.say('refreshing') : clockOf(left)}</span>`) : nothing}
  </dl>`;
}

const feeName = (app: App, kind = ''): string => (FEES[kind] ? app.say(FEES[kind]) : kind);

const feeRow = (app: App, fee: Fee): TemplateResult =>
  html`<div class="sub"><dt>${feeName(app, fee.kind)}</dt><dd>${fee.usd == null ? nothing : showUsd(Number(fee.usd), app.locale)}</dd></div>`;
