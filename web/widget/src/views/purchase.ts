import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from '../app.js';
import { short } from '../amounts.js';
import { known } from '../flows/catalog.js';
import type { Purchase } from '../flows/purchase.js';
import { badge, shownToken, timeline, type StepState } from './order.js';
import { amountOf, copyButton, moneyOf, problem, row, screen, txLink, type Part } from './parts.js';

export function purchaseView(app: App): TemplateResult {
  const purchase = app.purchase!;
  const leave = () => app.startOver(true);
  const isFramed = purchase.phase === 'paying' && app.options.checkout === 'frame';
  const { status, view, quote } = purchase;
  const fiat = view ?? quote;
  return screen(app, app.say('titleBuy'), html`
    ${isFramed ? nothing : purchaseHero(app, purchase)}
    <div class="checkout ${app.options.checkout === 'frame' && ['opening', 'paying'].includes(purchase.phase) ? '' : 'gone'}"></div>
    ${status && !isFramed ? steps(app, purchase) : nothing}
    ${fiat ? html`<dl class="facts">
      ${row(app.say('spend'), moneyOf(app, fiat.fiatAmount, fiat.fiatCurrency))}
      ${received(app, purchase)}
      ${purchase.orderId ? row(app.say('orderNumber'), html`<bdi class="mono">${short(purchase.orderId)}</bdi>${copyButton(app, purchase.orderId, app.say('orderNumber'))}`) : nothing}</dl>` : nothing}
    ${ending(app, purchase, leave)}`, leave);
}

function received(app: App, { view, quote }: Purchase): Part {
  const asset = view?.outputAsset ?? quote?.outputAsset;
  const amount = view?.outputAmount ?? view?.expectedOutputAmount ?? quote?.expectedOutputAmount;
  if (!asset || !amount) return nothing;
  const isTarget = app.to?.chainId === asset.chainId && app.to?.address.toLowerCase() === asset.address?.toLowerCase();
  const token = known(quote?.token) ?? (isTarget ? app.to : undefined) ?? shownToken(app, asset.chainId, asset.address, undefined);
  return row(app.say('youReceive'), amountOf(app, amount, token));
}

function purchaseHero(app: App, purchase: Purchase): TemplateResult {
  const { phase, status, outcome } = purchase;
  const name = app.providers.find(({ id }) => id === (status?.provider ?? purchase.quote?.provider))?.name ?? purchase.quote?.providerName ?? status?.provider ?? '';
  const [kind, title, text] = ((): ['now' | 'done' | 'back' | 'bad', string, string] => {
    if (phase === 'failed') return ['bad', app.say('buyFailed'), ''];
    if (status?.status === 'completed') return ['done', app.say('buyDone'), ''];
    if (outcome === 'canceled' || status?.status === 'canceled') return ['back', app.say('buyCanceled'), app.say('nothingCharged')];
    if (status?.status === 'expired') return ['back', app.say('buyExpired'), app.say('nothingCharged')];
    if (status?.status === 'failed') return ['bad', app.say('buyFailed'), status.failedReason ?? ''];
    if (status?.status === 'processing') return ['now', app.say('buyDelivering'), app.say('keepOpen')];
    return ['now', app.say('checkoutOpen', { provider: name }), app.say('checkoutOpenText')];
  })();
  return html`<div class="hero ${kind}">${badge(kind)}<p class="hero-title">${title}</p><p class="muted">${text}</p></div>`;
}

function steps(app: App, { status, view }: Purchase): TemplateResult {
  const at = ['created', 'pending', 'processing', 'completed'].indexOf(status!.status);
  const isBad = ['failed', 'canceled', 'expired'].includes(status!.status);
  const state = (isDone: boolean, isNow: boolean): StepState => (isDone ? 'done' : isBad ? 'bad' : isNow ? 'now' : 'next');
  const chainId = view?.outputAsset?.chainId;
  const hash = status!.fillTxHash ?? view?.fillTxHash;
  return timeline([
    [app.say('stepOrdered'), 'done', nothing],
    [app.say('stepPaid'), state(at >= 2, true), nothing],
    [app.say('stepDelivered'), isBad ? 'next' : state(at === 3, at === 2), txLink(app, chainId, hash)],
  ]);
}

function ending(app: App, purchase: Purchase, leave: () => void): Part {
  if (purchase.phase === 'failed') return html`${problem(app, purchase.error)}<button class="cta" @click=${leave}>${app.say('retry')}</button>`;
  if (purchase.phase !== 'over') return nothing;
  const isDone = purchase.status?.status === 'completed';
  return html`<button id="again" class="cta" @click=${leave}>${isDone ? app.say('newPurchase') : app.say('retry')}</button>`;
}
