import type { Order, OrderEvent } from '@causeway/sdk';
import { html, nothing, type TemplateResult } from 'lit-html';
import * as icons from '../../../design/icons.js';
import { formatUnits, numberFormat } from '../../../widget/src/amounts.js';
import { withShortAddresses } from '../../../widget/src/views/review.js';
import { addressLink, amountText, chainName, copyButton, span, timeTag, txLink, type Part } from '../site.js';
import type { FollowedOrder } from './followed-order.js';
import { actions, exchange, hero, leg, row, timeline, type Step } from './parts.js';
import { standingOf } from './words.js';

export function orderView(followed: FollowedOrder): TemplateResult {
  const { order, from, to } = followed;
  const standing = standingOf(order, followed.transfer !== undefined, isTooLate(order));
  const { deposit, fill, refund } = order.transactions ?? {};
  const received = fill?.amount ?? order.destAmount;
  document.title = `${standing.title} · order ${order.id.slice(0, 8)} – Causeway`;
  return html`
    ${hero(standing, html`${timeLeft(followed)}${order.failureReason && order.status !== 'filled' ? html`<p class="small warn-text">${order.failureReason}</p>` : nothing}
      ${followed.isOffline ? html`<p class="small warn-text">The service cannot be reached at the moment; this page goes on by itself.</p>` : nothing}`)}
    ${transferPart(followed)}
    <div class="order-grid">
      <section class="card" aria-labelledby="amounts">
        <h2 id="amounts" class="unseen">Amounts</h2>
        ${exchange(
          leg(deposit ? 'Paid' : 'To pay', deposit?.amount ?? order.srcAmount, from, { symbol: order.fromTokenMeta?.symbol ?? '?', decimals: order.fromTokenMeta?.decimals, chainId: order.fromChainId }),
          leg(fill ? 'Received' : isReturned(order) ? 'Not delivered' : 'To receive', received, to, { symbol: order.toTokenMeta?.symbol ?? '?', decimals: order.toTokenMeta?.decimals, chainId: order.toChainId }),
        )}
        ${from?.extensions?.price || to?.extensions?.price ? html`<p class="small muted note">Dollars at the prices of now.</p>` : nothing}
        <dl class="facts">
          ${row('From', addressLink(order.fromChainId, order.author))}
          ${row('To', addressLink(order.toChainId, order.recipient))}
          ${row('Rate', rateOf(followed))}
          ${row('Took', tookOf(order))}
          ${row('Held meanwhile by', order.heldBy && !followed.isOver ? html`${order.heldBy}; no contract of this service protects it` : nothing)}
          ${row('If it fails', order.refunds && !followed.isOver ? html`${order.refunds}` : nothing)}
          ${row(fill ? 'Delivered by' : 'Filler', order.providerStatus?.provider ? html`${order.providerStatus.provider} ${addressLink(order.fromChainId, order.fillerAddress)}` : nothing)}
        </dl>
      </section>
      <section class="card" aria-labelledby="steps">
        <h2 id="steps">What happened</h2>
        ${timeline(stepsOf(followed))}
      </section>
    </div>
    <section class="card" aria-labelledby="details">
      <h2 id="details">Details</h2>
      <dl class="facts">
        ${row('Deposit', txLink(order.fromChainId, deposit?.txHash ?? order.depositTxHash))}
        ${row('Delivery', txLink(fill?.chainId, fill?.txHash))}
        ${row('Refund', txLink(refund?.chainId, refund?.txHash))}
        ${row('Refund address', addressLink(order.fromChainId, order.refundTo))}
        ${row('Order', html`<bdi class="mono break">${order.id}</bdi>${copyButton(order.id, 'the order’s id')}`)}
        ${row('Intent', order.intentId ? html`<bdi class="mono break">${order.intentId}</bdi>` : nothing)}
        ${row('Created', timeTag(order.createdAt))}
        ${row('Last change', timeTag(order.updatedAt))}
      </dl>
      ${actions(document.title)}
    </section>`;
}

const isReturned = ({ status }: Order): boolean => ['refund_pending', 'refunded', 'failed'].includes(status);

/** Whether the money that an order awaits would come too late. */
const isTooLate = ({ status, timestamps }: Order): boolean => status === 'created' && Date.parse(timestamps?.depositBefore ?? '') <= Date.now();

/** The time that is left to pay, or until the deposit can be had back. */
function timeLeft({ order, isOver }: FollowedOrder): Part {
  const { depositBefore, refundAt } = order.timestamps ?? {};
  if (isOver) return nothing;
  const at = order.status === 'created' ? depositBefore : refundAt;
  if (!at) return nothing;
  const left = (Date.parse(at) - Date.now()) / 1000;
  const waits = order.status === 'created';
  // It comes now, and not at the time when anybody could take it.
  if (left > 0 && order.status === 'refund_pending') return nothing;
  // What comes late to an address of ours is returned; a provider promises nothing.
  if (left <= 0 && waits) return order.settlement ? html`<p class="pill warn">What comes now may be lost.</p>` : nothing;
  // The wallet that deposited can call the escrow's refund itself, which the widget does with it.
  if (left <= 0) return html`<p class="pill warn">The refund is due.</p><p><a class="button primary" href="/swap?causeway-order=${order.id}">Take the money back with your wallet</a></p>`;
  return html`<p class="pill">${waits ? 'Time left to pay' : 'Refund, if nobody delivers, in'}: <span class="hold">${span(left)}</span></p>`;
}

/** Where money is awaited: the QR code, the amount and the address. */
function transferPart({ transfer, order, from }: FollowedOrder): Part {
  const deposit = transfer?.deposit;
  if (!transfer || !deposit || order.status !== 'created' || !from || isTooLate(order)) return nothing;
  const amount = formatUnits(transfer.missing, from.decimals);
  const link = deposit.deposit?.paymentUri ?? undefined;
  const arrived = transfer.arrived > 0n
    ? html`<div class="notice ${transfer.missing > 0n ? 'warn' : 'info'}" role="note">${icons.warn()}<div>${transfer.missing > 0n ? `${formatUnits(transfer.arrived, from.decimals)} ${from.symbol} arrived. Please send the rest.` : 'All of it arrived. Waiting for the block to be final.'}</div></div>` : nothing;
  return html`<section class="card pay-card" aria-labelledby="pay">
    <h2 id="pay" class="unseen">Pay by transfer</h2>
    <div class="qr"><img src=${transfer.qrCode ?? ''} alt="QR code of the payment" width="208" height="208" /></div>
    <div class="pay-text">
      ${arrived}
      <div class="copy-row"><div><span class="muted small">Send exactly</span><strong class="break">${amount} ${from.symbol}</strong></div>${copyButton(amount, 'the amount')}</div>
      <div class="copy-row"><div><span class="muted small">To this address, on ${chainName(order.fromChainId)} only</span><bdi class="mono break">${deposit.depositAddress}</bdi></div>${copyButton(deposit.depositAddress, 'the address')}</div>
      ${link ? html`<a class="button primary" href=${link}>Open in a wallet</a>` : nothing}
    </div>
  </section>`;
}

/** One unit of the input in units of the output. */
function rateOf({ order, from, to }: FollowedOrder): Part {
  const [paid, got] = [Number(from && formatUnits(order.srcAmount ?? '0', from.decimals)), Number(to && formatUnits(order.destAmount ?? '0', to.decimals))];
  if (!from || !to || !(paid > 0) || !(got > 0)) return nothing;
  return html`1 ${from.symbol} = ${numberFormat('en', { maximumSignificantDigits: 6 }).format(got / paid)} ${to.symbol}`;
}

function tookOf({ transactions }: Order): Part {
  const seconds = (Date.parse(transactions?.fill?.timestamp ?? '') - Date.parse(transactions?.deposit?.timestamp ?? '')) / 1000;
  return Number.isFinite(seconds) ? html`${span(Math.max(1, seconds))}` : nothing;
}

/** The events so far, and what comes next. */
function stepsOf({ order, events, isOver, to, from }: FollowedOrder): Step[] {
  const { deposit, fill, refund } = order.transactions ?? {};
  const link = ({ status, detail }: OrderEvent): Part => {
    if (status === 'deposited') return txLink(deposit?.chainId, deposit?.txHash);
    if (status === 'filled') return txLink(fill?.chainId, fill?.txHash);
    if (status === 'refunded') return txLink(refund?.chainId, refund?.txHash);
    const hash = /0x[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{80,90}/i.exec(detail ?? '')?.[0];
    return hash && hash === order.depositTxHash ? txLink(order.fromChainId, hash) : nothing;
  };
  const past = events.map((event): Step => ({
    text: event.status ? html`<strong>${event.status === 'created' ? 'Order made.' : event.detail}</strong>` : withShortAddresses(event.detail ?? ''),
    at: event.at, state: event.status === 'failed' ? 'bad' : 'done', link: link(event),
  }));
  if (isOver) return past;
  const isBack = order.status === 'refund_pending';
  const awaited: Step = {
    text: isTooLate(order) && !order.depositTxHash ? 'The order ends' : order.status === 'created' ? (order.depositTxHash ? 'The deposit becomes final' : `${amountText(order.srcAmount, from)} to be deposited`) : isBack ? 'The refund becomes final' : `${amountText(order.destAmount, to)} to be delivered`,
    state: 'now',
  };
  return order.status === 'created' && !(isTooLate(order) && !order.depositTxHash) ? [...past, awaited, { text: `${amountText(order.destAmount, to)} to be delivered`, state: 'next' }] : [...past, awaited];
}
