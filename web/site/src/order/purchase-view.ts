import { html, nothing, type TemplateResult } from 'lit-html';
import { showUsd } from '../../../widget/src/amounts.js';
import { addressLink, chainName, copyButton, shortText, timeTag, txLink } from '../site.js';
import type { FollowedPurchase } from './followed-purchase.js';
import { actions, exchange, hero, leg, row, timeline, type Step } from './parts.js';
import { purchaseStanding } from './words.js';

export function purchaseView({ purchase, token }: FollowedPurchase): TemplateResult {
  const standing = purchaseStanding(purchase);
  const { outputAsset, fiatAmount, fiatCurrency, recovery } = purchase;
  const money = fiatAmount && fiatCurrency ? showUsd(Number(fiatAmount), 'en', fiatCurrency) : '—';
  const chainId = outputAsset?.chainId;
  document.title = `${standing.title} · purchase ${purchase.orderId.slice(0, 8)} – Causeway`;
  return html`
    ${hero(standing)}
    <div class="order-grid">
      <section class="card" aria-labelledby="amounts">
        <h2 id="amounts" class="unseen">Amounts</h2>
        ${exchange(
          html`<div class="leg"><div><span class="muted small">${isAwaited(purchase) ? 'To pay by card or bank' : 'By card or bank'}</span><strong>${money}</strong><span class="muted small">to ${purchase.provider}</span></div></div>`,
          leg(purchase.outputAmount ? 'Received' : 'Expected', purchase.outputAmount ?? purchase.expectedOutputAmount, token, { symbol: shortText(outputAsset?.address), decimals: undefined, chainId }),
        )}
        <dl class="facts">
          ${row('Provider', purchase.provider)}
          ${row('Chain', chainName(chainId))}
          ${row('Returned to, if it cannot be swapped', purchase.refundTo ? addressLink(recovery?.chainId, purchase.refundTo) : nothing)}
        </dl>
      </section>
      <section class="card" aria-labelledby="steps"><h2 id="steps">What happened</h2>${timeline(stepsOf(purchase))}</section>
    </div>
    <section class="card" aria-labelledby="details">
      <h2 id="details">Details</h2>
      <dl class="facts">
        ${row('Provider’s delivery', txLink(purchase.swapStrategy === 'jump' ? recovery?.chainId : chainId, purchase.transferTxHash))}
        ${row('Delivery', txLink(chainId, purchase.fillTxHash))}
        ${row('Refund', txLink(recovery?.chainId, purchase.refundTxHash))}
        ${row('Swap', purchase.swapOrderId ? html`<a href="/order/${purchase.swapOrderId}"><bdi class="mono">${shortText(purchase.swapOrderId)}</bdi></a>` : nothing)}
        ${row('Purchase', html`<bdi class="mono break">${purchase.orderId}</bdi>${copyButton(purchase.orderId, 'the purchase’s id')}`)}
        ${row('Created', timeTag(purchase.createdAt))}
        ${row('Last change', timeTag(purchase.updatedAt))}
      </dl>
      ${actions(document.title)}
    </section>`;
}

const isAwaited = ({ status }: FollowedPurchase['purchase']): boolean => ['created', 'pending'].includes(status);

function stepsOf({ status, createdAt, updatedAt, transferTxHash, fillTxHash, outputAsset, swapStrategy, recovery, failure, terminal }: FollowedPurchase['purchase']): Step[] {
  const at = ['created', 'pending', 'processing', 'completed'].indexOf(status);
  const isBad = at === -1;
  const state = (isDone: boolean, isNow: boolean): Step['state'] => (isDone ? 'done' : isNow && !isBad ? 'now' : 'next');
  const isJump = swapStrategy === 'jump';
  const chainId = outputAsset?.chainId;
  const steps: Step[] = [
    { text: 'Ordered', at: createdAt, state: 'done' },
    { text: at >= 2 || transferTxHash ? 'Paid to the provider' : 'To be paid to the provider', state: state(at >= 2 || Boolean(transferTxHash), true), link: isJump ? txLink(recovery?.chainId, transferTxHash) : nothing },
  ];
  if (isJump) steps.push({ text: 'Swapped into your token', state: state(at === 3, at === 2), link: nothing });
  if (isBad) return [...steps.slice(0, transferTxHash ? 2 : 1), { text: failure?.message ?? `Ended: ${status}`, at: updatedAt, state: 'bad' }];
  return [...steps, { text: 'Delivered to the wallet', at: terminal ? updatedAt : undefined, state: state(at === 3, at === 2), link: txLink(chainId, fillTxHash) }];
}
