import { html, nothing, type TemplateResult } from 'lit-html';
import { showUsd } from '../../../widget/src/amounts.js';
import { ago, amountText, chainName, shortText } from '../site.js';
import type { Found } from './find.js';
import { purchaseStanding, standingOf, type Kind } from './words.js';

const TAGS: Readonly<Record<Kind, string>> = { now: 'now', done: 'good', back: 'warn', bad: 'bad' };

export const statusTag = ({ kind, title }: { kind: Kind; title: string }): TemplateResult => html`<span class="tag ${TAGS[kind]}">${title}</span>`;

/** A box that finds any order. */
export function searchBox(text: string): TemplateResult {
  const look = (event: Event) => {
    event.preventDefault();
    const wanted = new FormData(event.target as HTMLFormElement).get('q');
    if (typeof wanted === 'string' && wanted.trim()) location.href = `/track/${encodeURIComponent(wanted.trim())}`;
  };
  return html`<form class="find" role="search" @submit=${look}>
    <label for="q" class="unseen">Order, address or transaction</label>
    <input id="q" name="q" type="search" .value=${text} placeholder="Order, address or transaction" autocomplete="off" spellcheck="false" maxlength="120" />
    <button class="button primary">Look up</button></form>`;
}

export function searchView(text: string): TemplateResult {
  return html`<h1>Track an order</h1>
    <p class="under">By the order’s id, the transaction of its deposit, its intent, or the address that paid.</p>
    ${searchBox(text)}
    ${text ? html`<div class="notice warn" role="alert"><div>There is nothing by <bdi class="mono break">${text}</bdi>. An order is known here once its deposit was submitted or seen on the chain.</div></div>` : nothing}`;
}

/** Everything that an address has ordered. */
export function listView({ address, orders, purchases }: Extract<Found, { kind: 'list' }>): TemplateResult {
  return html`<h1>Orders of <bdi class="mono">${shortText(address)}</bdi></h1>
    ${searchBox('')}
    <div class="table-wrap" tabindex="0"><table class="table orders-table">
      <thead><tr><th scope="col">Order</th><th scope="col">Pays</th><th scope="col">Receives</th><th scope="col">Status</th><th scope="col">When</th></tr></thead>
      <tbody>
        ${orders.map((order) => html`<tr>
          <td class="c-id"><a href="/order/${order.id}"><bdi class="mono">${order.id.slice(0, 8)}</bdi></a></td>
          <td class="c-pays">${side(amountText(order.srcAmount, meta(order.fromTokenMeta)), order.fromChainId)}</td>
          <td class="c-receives">${side(amountText(order.destAmount, meta(order.toTokenMeta)), order.toChainId)}</td>
          <td class="nowrap c-status">${statusTag(standingOf(order, false))}</td><td class="muted nowrap c-when">${ago(order.createdAt)}</td></tr>`)}
        ${purchases.map((purchase) => html`<tr>
          <td class="c-id"><a href="/order/${purchase.orderId}"><bdi class="mono">${purchase.orderId.slice(0, 8)}</bdi></a></td>
          <td class="c-pays">${purchase.fiatAmount && purchase.fiatCurrency ? showUsd(Number(purchase.fiatAmount), 'en', purchase.fiatCurrency) : '—'}</td>
          <td class="c-receives muted">${chainName(purchase.outputAsset?.chainId)}</td>
          <td class="nowrap c-status">${statusTag(purchaseStanding(purchase))}</td><td class="muted nowrap c-when">${ago(purchase.createdAt)}</td></tr>`)}
      </tbody></table></div>`;
}

const side = (amount: string, chainId: number | undefined): TemplateResult => html`<span class="side"><span>${amount}</span><span class="muted small">${chainName(chainId)}</span></span>`;

const meta = (token: { symbol?: string | undefined; decimals?: number | undefined } | null | undefined) => (token?.symbol ? { symbol: token.symbol, decimals: token.decimals } : undefined);
