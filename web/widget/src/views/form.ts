import { html, nothing, type TemplateResult } from 'lit-html';
import type { App, Side } from '../app.js';
import { faultOf, obstacleOf, recipientOf, refundOf } from '../asks.js';
import { formatUnits, short, showPercent, showUnits, showUsd, usdOf } from '../amounts.js';
import { limitOf } from '../errors.js';
import { buyForm } from './buy.js';
import * as icons from '../../../design/icons.js';
import { tokenLogo } from './logos.js';
import { chainName, notice, problem, type Part } from './parts.js';
import type { Family } from '../wallets/account.js';
import { routesView } from './routes.js';

export function formView(app: App): TemplateResult {
  if (app.method === 'buy') return buyForm(app);
  const routes = routesView(app);
  return html`<div class="columns ${routes === nothing ? '' : 'has-routes'}">
    <div class="panels">
      ${panel(app, 'from')}
      <button id="flip" class="flip" aria-label=${app.say('flip')} ?disabled=${app.catalog.isSource(app.from?.chainId)} @click=${() => app.flip()}>${icons.arrowDown()}</button>
      ${panel(app, 'to')}
    </div>
    ${addresses(app)}
    ${routes}
    <div class="go">${cta(app)}</div>
  </div>`;
}

/** The typed amount on one side, and what the chosen route makes of it on the other. */
function shownAmount(app: App, side: Side): string {
  if (app.isExactOutput === (side === 'to')) return app.amount;
  const token = app[side];
  const { route } = app.quotes;
  if (!route || !token) return '';
  return cut(side === 'to' ? route.quote.amountOut : route.quote.amountIn, token.decimals, 5);
}

/** An amount for an input: a plain number with few digits that count. */
function cut(raw: bigint | string, decimals: number, digits: number): string {
  const [whole, part = ''] = formatUnits(raw, decimals).split('.');
  const kept = part.slice(0, whole === '0' ? part.search(/[1-9]/) + digits : digits).replace(/0+$/, '');
  return kept ? `${whole}.${kept}` : whole!;
}

function panel(app: App, side: Side): TemplateResult {
  const token = app[side];
  const isFrom = side === 'from';
  const value = shownAmount(app, side);
  const { route, isLoading, routes } = app.quotes;
  const isTyped = app.isExactOutput !== isFrom;
  const raw = isTyped ? app.raw : route && BigInt(isFrom ? route.quote.amountIn : route.quote.amountOut);
  const worth = token && raw !== undefined ? usdOf(raw, token) : undefined;
  const isWaiting = !isTyped && isLoading && routes.length === 0;
  const label = app.say(isFrom ? (app.method === 'transfer' ? 'youSend' : 'youPay') : 'youReceive');
  return html`<div class="panel">
    <label class="panel-label" for="amount-${side}">${label}</label>
    <div class="panel-row">
      <input id="amount-${side}" class="amount ${isWaiting ? 'waiting' : ''}" dir="ltr" inputmode="decimal" autocomplete="off" placeholder="0" maxlength="40"
        aria-label="${label}: ${app.say(isFrom ? 'amountToPay' : 'amountToReceive')}" .value=${value}
        @input=${(event: Event) => typed(app, event.target as HTMLInputElement, !isFrom)} />
      ${tokenButton(app, side)}
    </div>
    <div class="panel-foot">
      <span>${worth === undefined ? html`&nbsp;` : showUsd(worth, app.locale)}${isFrom ? nothing : impact(app)}</span>
      ${isFrom && app.method === 'swap' ? balance(app) : nothing}
    </div>
  </div>`;
}

/** Only digits and one point; whatever else was typed is left out. */
function typed(app: App, input: HTMLInputElement, isExactOutput: boolean): void {
  const clean = input.value.replace(/,/g, '.').replace(/[^\d.]/g, '').replace(/(\..*)\./g, '$1');
  if (clean !== input.value) input.value = clean;
  app.setAmount(clean, isExactOutput);
}

/** How much less the output is worth than the input. */
function impact(app: App): Part {
  const cost = costOf(app);
  if (cost === undefined || cost < 0.0005) return nothing;
  const text = showPercent(-cost, app.locale);
  return html` <bdi class=${cost > 0.05 ? 'bad-text' : cost > 0.02 ? 'warn-text' : 'muted'}>(${text})</bdi>`;
}

export function costOf(app: App, route = app.quotes.route): number | undefined {
  const { from, to } = app;
  if (!route || !from || !to) return undefined;
  const [paid, got] = [usdOf(route.quote.amountIn, from), usdOf(route.quote.amountOut, to)];
  return paid && got !== undefined ? 1 - got / paid : undefined;
}

export function tokenButton(app: App, side: Side): TemplateResult {
  const token = app[side];
  const open = () => {
    app.pickerSide = side;
    app.show('picker');
  };
  if (!token) return html`<button id="token-${side}" class="token ${app.isReady ? 'empty' : ''}" aria-label=${app.say('selectToken')} @click=${open} ?disabled=${!app.isReady}>${app.isReady ? app.say('selectToken') : html`<span class="bone round"></span><span class="bone"></span>`}${icons.chevron()}</button>`;
  return html`<button id="token-${side}" class="token" @click=${open} aria-label="${app.say('selectToken')}: ${token.symbol} ${app.say('on', { chain: chainName(app, token.chainId) })}">
    ${tokenLogo(app, token)}<span class="token-names"><strong>${token.symbol}</strong><span>${chainName(app, token.chainId)}</span></span>${icons.chevron()}</button>`;
}

function balance(app: App): Part {
  const raw = app.from && app.catalog.balanceOf(app.from);
  if (raw === undefined) return nothing;
  // Beside the button that turns the swap round there is little room, and what is left out can be had by one press.
  return html`<span class="balance">${app.say('balance', { amount: showUnits(raw, app.from!.decimals, app.locale, 'compact') })}
    ${raw > 0n ? html`<button class="max" @click=${() => app.setMost()}>${app.say('max')}</button>` : nothing}</span>`;
}

/** Asked for where no wallet says them: always for transfers, and for a recipient of another family. */
function addresses(app: App): Part {
  if (!app.from || !app.to) return nothing;
  const isTransfer = app.method === 'transfer';
  const needsRecipient = isTransfer || app.recipient !== '' || (app.payer !== undefined && app.receiver === undefined);
  const recipient = needsRecipient ? addressField(app, 'recipient', 'recipient') : nothing;
  const refund = isTransfer ? addressField(app, 'refundTo', 'refund', app.say('refundWhy')) : nothing;
  return recipient === nothing && refund === nothing ? nothing : html`<div class="fields">${recipient}${refund}</div>`;
}

/** The field for one of the two addresses. Under it is what is wrong with what was typed, in our words or in the service's. */
export function addressField(app: App, side: 'recipient' | 'refundTo', id: string, note = ''): Part {
  const [token, own, read, label, hint] = side === 'recipient'
    ? [app.to, app.receiver, recipientOf(app), 'recipient', 'recipientHint'] as const : [app.from, app.payer, refundOf(app), 'refundAddress', 'refundHint'] as const;
  if (!token) return nothing;
  const chain = chainName(app, token.chainId);
  const bad = app[side] && !read ? app.say('badAddress', { chain }) : faultOf(app, side);
  const typed = (event: Event) => {
    app[side] = (event.target as HTMLInputElement).value.trim();
    app.update();
  };
  return html`<div class="field">
    <label for=${id}>${app.say(label)}</label>
    <input id=${id} class="text mono" dir="ltr" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder=${own?.address ?? app.say(hint, { chain })} .value=${app[side]}
      aria-invalid=${Boolean(bad)} aria-describedby="${id}-says" @input=${typed} />
    <p id="${id}-says" class="small ${bad ? 'bad-text' : 'muted'}">${bad ?? note}</p>
  </div>`;
}

function cta(app: App): TemplateResult {
  const obstacle = obstacleOf(app);
  const symbol = app.from?.symbol ?? '';
  const focus = (id: string) => (event: Event) => ((event.currentTarget as Element).getRootNode() as ShadowRoot).getElementById(id)?.focus();
  const main = (text: string, act: ((event: Event) => void) | undefined, isBusy = false) =>
    html`<button id="go" class="cta" ?disabled=${!act} @click=${act ?? nothing}>${isBusy ? icons.spinner() : nothing}${text}</button>`;
  const button = (() => {
    switch (obstacle) {
      case 'loading': return main(app.say('loading'), undefined, true);
      case 'token': return main(app.say('selectToken'), undefined);
      case 'amount': return main(app.say('enterAmount'), undefined);
      case 'wallet': return main(app.say('connect'), () => {
        app.walletFamily = app.catalog.familyOf(app.from!.chainId) as Family;
        app.show('wallets');
      });
      case 'recipient': return main(app.say('enterRecipient'), focus('recipient'));
      case 'refund': return main(app.say('enterRefund'), focus('refund'));
      case 'balance': return main(app.say('notEnough', { symbol }), undefined);
      case 'quoting': return main(app.say('findingRoutes'), undefined, true);
      case 'no-route': return main(app.say('noRoute'), undefined);
      default: return app.method === 'transfer' ? main(app.say('showAddress'), () => app.startTransfer()) : main(app.say('reviewSwap'), () => app.review());
    }
  })();
  const receiver = recipientOf(app);
  const isSelf = receiver !== undefined && receiver === app.payer?.address;
  return html`${app.quotes.routes.length === 0 && !app.quotes.isLoading && !/^re[cf]/.test(obstacle ?? '') ? refusal(app, app.quotes.error) : nothing}
    ${button}
    ${receiver && !isSelf && app.recipient === '' && app.method === 'swap' && !obstacle
      ? html`<p class="under small muted">${app.say('recipient')}: <bdi class="mono">${short(receiver)}</bdi></p>` : nothing}`;
}

/** Why there is no route; where only the amount is wrong, one that is right can be taken at once. */
function refusal(app: App, error: unknown): Part {
  const limit = limitOf(error);
  const token = app.isExactOutput ? app.to : app.from;
  if (!limit || !token) return problem(app, error);
  // A little inside the limit, which moves with the price.
  const raw = limit.isLeast ? limit.raw + limit.raw / 50n : limit.raw - limit.raw / 50n;
  const text = cut(raw, token.decimals, 3);
  const use = html`<button class="small-button" @click=${() => app.setAmount(text, app.isExactOutput)}>${app.say('useAmount', { amount: `${text} ${token.symbol}` })}</button>`;
  return notice('warn', app.say(limit.isLeast ? 'tooSmall' : 'tooLarge', { amount: `${showUnits(limit.raw, token.decimals, app.locale)} ${token.symbol}` }), use);
}
