import type { Order } from '@causeway/sdk';
import { html, nothing, type TemplateResult } from 'lit-html';
import { tokenLogo } from '../../widget/src/views/logos.js';
import { statusTag } from './order/search-view.js';
import { standingOf } from './order/words.js';
import { ago, amountText, chainName, client, shortText, site, span } from './site.js';

type Meta = Order['fromTokenMeta'];

const side = (chainId: number | undefined, raw: string | undefined, address: string | null | undefined, meta: Meta): TemplateResult => {
  // The catalog has the picture that the service itself serves.
  const own = chainId === undefined || !address ? undefined : `/v1/token/${chainId}/${address}/icon`;
  const token = meta?.symbol ? { symbol: meta.symbol, decimals: meta.decimals, chainId, logoURI: meta.logoURI ?? (own && new URL(own, client.baseUrl).href) } : undefined;
  return html`<span class="token-cell">${token ? tokenLogo(site, token) : nothing}<span><span>${amountText(raw, token)}</span><span class="muted small">${chainName(chainId)}</span></span></span>`;
};

function took({ transactions }: Order): string {
  const seconds = (Date.parse(transactions?.fill?.timestamp ?? '') - Date.parse(transactions?.deposit?.timestamp ?? '')) / 1000;
  return Number.isFinite(seconds) ? span(Math.max(1, seconds)) : '';
}

/** Orders, newest first, each with a link to its page. */
export function orderTable(orders: readonly Order[], empty: string): TemplateResult {
  return html`<div class="table-wrap" tabindex="0"><table class="table orders-table">
    <thead><tr><th scope="col">Order</th><th scope="col">Pays</th><th scope="col">Receives</th><th scope="col">By</th><th scope="col">Status</th><th scope="col">Filler</th><th scope="col" class="number">Took</th><th scope="col">When</th></tr></thead>
    <tbody>${orders.length === 0 ? html`<tr><td class="empty" colspan="8">${empty}</td></tr>` : orders.map((order) => html`<tr>
      <td class="c-id"><a href="/order/${order.id}"><bdi class="mono">${order.id.slice(0, 8)}</bdi></a></td>
      <td class="c-pays">${side(order.fromChainId, order.srcAmount, order.fromToken, order.fromTokenMeta)}</td><td class="c-receives">${side(order.toChainId, order.transactions?.fill?.amount ?? order.destAmount, order.toToken, order.toTokenMeta)}</td>
      <td class="nowrap c-by"><a href="/track/${order.author}"><bdi class="mono">${shortText(order.author)}</bdi></a></td>
      <td class="nowrap c-status">${statusTag(standingOf(order, false))}</td><td class="c-filler">${order.providerStatus?.provider}</td><td class="number c-took">${took(order)}</td><td class="muted nowrap c-when">${ago(order.createdAt)}</td></tr>`)}</tbody></table></div>`;
}
