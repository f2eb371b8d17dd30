import { html, nothing, type TemplateResult } from 'lit-html';
import type { Order } from '@causeway/sdk';
import type { App } from '../app.js';
import { numberFormat, short } from '../amounts.js';
import { dueOf, keptTerms } from '../flows/take-back.js';
import * as icons from '../../../design/icons.js';
import { withShortAddresses } from './review.js';
import { clockOf, copyButton, exchange, numberOf, problem, row, screen, shortOf, txLink, type Part, type Shown } from './parts.js';

export type StepState = 'done' | 'now' | 'next' | 'bad';

/** A token of an order: what the order says of it, with the price of the catalog where that knows it. */
export function shownToken(app: App, chainId: number | undefined, address: string | null | undefined, meta: Order['fromTokenMeta']): Shown {
  const known = app.catalog.top.find((token) => token.chainId === chainId && token.address.toLowerCase() === address?.toLowerCase());
  return known ?? { chainId, symbol: meta?.symbol ?? shortOf(address), decimals: meta?.decimals, logoURI: meta?.logoURI };
}

export const orderFrom = (app: App, order: Order): Shown => shownToken(app, order.fromChainId, order.fromToken, order.fromTokenMeta);
export const orderTo = (app: App, order: Order): Shown => shownToken(app, order.toChainId, order.toToken, order.toTokenMeta);

export function orderView(app: App): TemplateResult {
  const { order, error } = app.tracker;
  const title = app.say('swap');
  if (!order) return screen(app, title, error === undefined ? html`<div class="hero">${icons.spinner(app.say('loading'))}</div>` : html`${problem(app, error)}<button class="cta" @click=${() => app.startOver()}>${app.say('newSwap')}</button>`, () => app.startOver());
  return screen(app, title, html`
    ${hero(app, order)}
    ${exchange(app, orderFrom(app, order), order.srcAmount, orderTo(app, order), order.transactions?.fill?.amount ?? order.destAmount)}
    ${orderSteps(app, order)}
    ${app.tracker.isOver ? html`<button id="again" class="cta" @click=${() => app.startOver()}>${app.say('newSwap')}</button>` : html`${refundPart(app, order)}${app.liquidity?.custodyOfOrder(app, order)}<p class="under small muted">${app.say('keepOpen')}</p>`}
    <dl class="facts quiet">${row(app.say('orderNumber'), html`<a href="${app.client.baseUrl}/order/${order.id}" target="_blank"><bdi class="mono">${short(order.id)}</bdi></a>${copyButton(app, order.id, app.say('orderNumber'))}`)}</dl>`, () => app.startOver());
}

const HEROES = {
  created: ['now', 'orderWaiting'], deposited: ['now', 'orderDelivering'], published: ['now', 'orderDelivering'], filled: ['done', 'orderFilled'],
  refund_pending: ['back', 'orderRefunding'], refunded: ['back', 'orderRefunded'], failed: ['bad', 'orderFailed'],
} as const;

/** How it stands, at a glance. */
export function hero(app: App, order: Order): TemplateResult {
  const [kind, key] = HEROES[order.status as keyof typeof HEROES] ?? HEROES.created;
  const to = orderTo(app, order);
  const text = order.status === 'filled' ? app.say('orderFilledText', { amount: numberOf(app, order.transactions?.fill?.amount ?? order.destAmount, to), symbol: to.symbol, address: shortOf(order.recipient ?? order.author) })
    // Of what a provider settles, the reason says what is known.
    : order.settlement && order.failureReason ? ''
      : order.status === 'refunded' ? app.say('orderRefundedText', { address: shortOf(order.refundTo ?? order.author) })
        : order.status === 'failed' ? app.say('orderFailedText') : app.tracker.events.at(-1)?.detail ?? '';
  return html`<div class="hero ${kind}">${badge(kind)}<p class="hero-title">${app.say(key)}${tookOf(app, order)}</p><p class="muted">${withShortAddresses(text)}</p>
    ${order.failureReason && order.status !== 'filled' ? html`<p class="small warn-text">${order.failureReason}</p>` : nothing}</div>`;
}

export function badge(kind: 'now' | 'done' | 'back' | 'bad'): TemplateResult {
  return html`<span class="badge ${kind}" aria-hidden="true">${kind === 'done' ? icons.check(30) : kind === 'bad' ? icons.cross(28) : kind === 'back' ? icons.undo(28) : html`<span class="ring"></span>`}</span>`;
}

function tookOf(app: App, order: Order): Part {
  const { deposit, fill } = order.transactions ?? {};
  if (order.status !== 'filled' || !deposit || !fill) return nothing;
  const seconds = Math.max(1, Math.round((Date.parse(fill.timestamp ?? '') - Date.parse(deposit.timestamp ?? '')) / 1000));
  return Number.isFinite(seconds) ? html` <span class="muted">${app.say('took', { time: numberFormat(app.locale, { style: 'unit', unit: 'second', unitDisplay: 'narrow' }).format(seconds) })}</span>` : nothing;
}

/** When the deposit can be had back without anybody's help, and how. */
function refundPart(app: App, order: Order): Part {
  const terms = keptTerms(order.id);
  if (!terms) return nothing;
  const left = dueOf(terms) - Date.now();
  if (left > 0) return html`<p class="under small muted">${app.say('refundIn', { time: clockOf(left) })}</p>`;
  return html`${problem(app, app.walletError)}<button id="take-back" class="cta" @click=${() => void app.takeBack(order)}>${app.say('takeBack')}</button>`;
}

/** The life of the order. */
export function orderSteps(app: App, order: Order): TemplateResult {
  const { deposit, fill, refund } = order.transactions ?? {};
  const has = (status: string) => order.status === status || order.stepsCompleted?.includes(status);
  const isRefund = ['refund_pending', 'refunded'].includes(order.status);
  const sent = deposit?.txHash ?? order.depositTxHash;
  const state = (isDone: boolean | undefined, isNow: boolean | undefined): StepState => (isDone ? 'done' : isNow ? 'now' : 'next');
  const confirmed = has('deposited') || has('published') || has('filled') || isRefund;
  const steps: [string, StepState, Part][] = [
    [app.say('stepSent'), order.status === 'failed' ? 'bad' : state(Boolean(sent) || confirmed, true), txLink(app, order.fromChainId, sent)],
    [app.say('stepDeposited'), state(confirmed, Boolean(sent)), nothing],
    ...(isRefund
      ? [[app.say('stepRefundPending'), state(order.status === 'refunded', true), nothing], [app.say('stepRefunded'), state(order.status === 'refunded', false), txLink(app, refund?.chainId, refund?.txHash)]] as [string, StepState, Part][]
      : [[app.say('stepPublished'), state(has('filled'), confirmed), nothing], [app.say('stepFilled'), state(has('filled'), false), txLink(app, fill?.chainId, fill?.txHash)]] as [string, StepState, Part][]),
  ];
  return timeline(steps);
}

export function timeline(steps: readonly (readonly [string, StepState, Part])[]): TemplateResult {
  return html`<ol class="timeline">${steps.map(([text, state, link]) => html`<li class=${state} aria-current=${state === 'now' ? 'step' : nothing}>
    <span class="mark" aria-hidden="true">${state === 'done' ? icons.check(14) : state === 'bad' ? icons.cross(14) : state === 'now' ? icons.spinner() : nothing}</span><span>${text}</span><span class="step-link">${link}</span></li>`)}</ol>`;
}
