import { html, nothing, type TemplateResult } from 'lit-html';
import { showUnits } from '../../../widget/src/amounts.js';
import { keyOf } from '../../../widget/src/flows/catalog.js';
import { addressLink, catalog, chainName, shortText, timeTag, txLink } from '../site.js';
import type { Dashboard } from './dashboard.js';

/** What the service has noted, sent and seen for one order, also before its deposit is known to anybody. */
export function historyView({ history, show }: Dashboard): TemplateResult | typeof nothing {
  if (!history) return nothing;
  const { order, events, sent, arrivals, trouble, wait } = history;
  const side = ({ chainId, token, amount }: { chainId: number; token: string; amount: string }) => {
    const known = catalog.top.find((one) => keyOf(one) === keyOf({ chainId, address: token }));
    return html`${known ? `${showUnits(amount, known.decimals, 'en')} ${known.symbol}` : html`${amount} of ${shortText(token)}`} <span class="muted small">${chainName(chainId)}</span>`;
  };
  return html`<section class="card" aria-labelledby="history"><div class="section-head"><h2 id="history">Order <bdi class="mono break">${order.id}</bdi></h2><button type="button" class="button small" @click=${() => show(undefined)}>Close</button></div>
    <p><span class="tag">${order.status}</span> ${side(order.from)} → ${side(order.to)}, by ${order.filler}, ${order.depositMethod.toLowerCase().replaceAll('_', ' ')}. <a href="/order/${order.id}">Its page</a></p>
    ${order.failureReason ? html`<p class="under">${order.failureReason}</p>` : nothing}
    ${wait ? html`<p class="under">${wait.reason}</p><p><strong>What moves it:</strong> ${wait.remedy}</p>` : nothing}
    ${trouble ? html`<p class="under"><span class="tag bad">${trouble.kind.replaceAll('_', ' ')}</span> ${trouble.words} ${timeTag(trouble.since)}</p>` : nothing}
    <dl class="facts"><div><dt>Payer</dt><dd>${addressLink(order.from.chainId, order.author)}</dd></div><div><dt>Recipient</dt><dd>${addressLink(order.to.chainId, order.recipient)}</dd></div><div><dt>Refund address</dt><dd>${addressLink(order.from.chainId, order.refundTo)}</dd></div></dl>
    <h3>Events</h3><dl class="facts">${events.map(({ at, status, detail }) => html`<div><dt>${status ? html`<span class="tag">${status}</span> ` : nothing}${detail}</dt><dd class="muted small">${timeTag(at)}</dd></div>`)}</dl>
    ${sent.length === 0 ? nothing : html`<h3>Sent</h3><div class="table-wrap" tabindex="0"><table class="table"><thead><tr><th scope="col">Purpose</th><th scope="col">Chain</th><th scope="col">State</th><th scope="col" class="number">Attempts</th><th scope="col">Transaction</th></tr></thead>
      <tbody>${sent.map((one) => html`<tr><th scope="row">${one.purpose}</th><td>${chainName(one.chainId)}</td><td><span class="tag ${one.state === 'succeeded' ? 'good' : one.state === 'reverted' ? 'bad' : ''}">${one.state}</span></td><td class="number">${one.attempts.length}</td><td>${txLink(one.chainId, one.txHash)}</td></tr>`)}</tbody></table></div>`}
    ${arrivals.length === 0 ? nothing : html`<h3>Arrived</h3><dl class="facts">${arrivals.map((one) => html`<div><dt>${side({ chainId: order.from.chainId, token: one.token, amount: one.gained })}</dt><dd>${txLink(order.from.chainId, one.txHash)} <span class="muted small">block ${one.block.toLocaleString('en')}</span></dd></div>`)}</dl>`}</section>`;
}
