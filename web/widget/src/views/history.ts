import { html, nothing, type TemplateResult } from 'lit-html';
import type { FiatOrder, Order } from '@causeway/sdk';
import type { App } from '../app.js';
import { isRightToLeft } from '../i18n.js';
import * as icons from '../../../design/icons.js';
import { tokenLogo } from './logos.js';
import { orderFrom, orderTo, shownToken } from './order.js';
import { amountOf, moneyOf, problem, screen } from './parts.js';

export function historyView(app: App): TemplateResult {
  const { history, historyError } = app;
  const content = historyError ? problem(app, historyError, html`<button class="small-button" @click=${() => void app.showHistory()}>${app.say('retry')}</button>`)
    : !history ? html`<div class="hero">${icons.spinner(app.say('loading'))}</div>`
      : history.orders.length + history.purchases.length === 0 ? html`<p class="empty muted">${app.wallets.accounts.size ? app.say('emptyHistory') : app.say('connectForHistory')}</p>`
        : html`<div class="token-list">
          ${history.purchases.length ? html`<h3>${app.say('purchases')}</h3><ul>${history.purchases.map((one) => purchaseRow(app, one))}</ul>` : nothing}
          ${history.orders.length ? html`<h3>${app.say('swaps')}</h3><ul>${history.orders.map((one) => orderRow(app, one))}</ul>` : nothing}</div>`;
  return screen(app, app.say('history'), content);
}

/** Points from what was paid to what was received, in the direction of reading. */
const arrow = (app: App): string => (isRightToLeft(app.locale) ? '←' : '→');

function when(app: App, time: string | undefined): string {
  const date = new Date(time ?? '');
  return Number.isNaN(date.getTime()) ? '' : new Intl.DateTimeFormat(app.locale, { dateStyle: 'medium', timeStyle: 'short' }).format(date);
}

function statusTag(app: App, status: string): TemplateResult {
  const [key, kind] = ['filled', 'completed'].includes(status) ? ['statusFilled', 'good'] as const
    : ['failed', 'canceled', 'expired'].includes(status) ? ['statusFailed', 'bad'] as const
      : status === 'refunded' ? ['statusRefunded', ''] as const : status === 'created' ? ['statusCreated', ''] as const : ['statusOpen', 'warn'] as const;
  return html`<span class="tag ${kind}">${app.say(key)}</span>`;
}

function orderRow(app: App, order: Order): TemplateResult {
  const [from, to] = [orderFrom(app, order), orderTo(app, order)];
  return html`<li><button class="item" @click=${() => app.openOrder(order.id)}>${tokenLogo(app, to)}
    <span class="item-main"><strong class="wrap"><bdi>${amountOf(app, order.srcAmount, from)}</bdi> ${arrow(app)} <bdi>${amountOf(app, order.destAmount, to)}</bdi></strong><span class="muted small">${when(app, order.createdAt)}</span></span>${statusTag(app, order.status)}</button></li>`;
}

function purchaseRow(app: App, order: FiatOrder): TemplateResult {
  const token = shownToken(app, order.outputAsset?.chainId, order.outputAsset?.address, undefined);
  return html`<li><button class="item" @click=${() => app.openPurchase(order.orderId)}>${tokenLogo(app, token)}
    <span class="item-main"><strong><bdi>${moneyOf(app, order.fiatAmount, order.fiatCurrency)}</bdi> ${arrow(app)} <bdi>${token.symbol}</bdi></strong><span class="muted small">${when(app, order.createdAt)}</span></span>${statusTag(app, order.status)}</button></li>`;
}
