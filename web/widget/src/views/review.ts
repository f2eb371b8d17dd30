import type { Warning } from '@causeway/sdk';
import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from '../app.js';
import { short } from '../amounts.js';
import { expiryOf } from '../flows/quotes.js';
import { isSevere, type Swap } from '../flows/swap.js';
import * as icons from '../../../design/icons.js';
import { amountOf, clockOf, duration, exchange, notice, problem, row, screen } from './parts.js';

export function reviewView(app: App): TemplateResult {
  const swap = app.swap!;
  const { quote } = swap.route;
  const left = expiryOf(swap.route) - Date.now();
  if (left <= 0) queueMicrotask(() => swap.expire());
  const recipient = swap.ask.recipient ?? swap.ask.fromAddress;
  const isBusy = swap.phase === 'signing' || swap.phase === 'submitting';
  return screen(app, app.say('reviewTitle'), html`
    ${exchange(app, app.from!, quote.amountIn, app.to!, quote.amountOut)}
    <dl class="facts">
      ${row(app.say('recipient'), html`<bdi class="mono" title=${recipient}>${short(recipient)}</bdi>${recipient === swap.account.address ? html` <span class="muted">(${app.say('yourWallet')})</span>` : nothing}`)}
      ${row(app.say('least'), amountOf(app, quote.minAmountOut, app.to!))}
      ${row(app.say('time'), duration(app, quote.expectedDurationSeconds))}
      ${swap.phase === 'review' && left < Infinity ? row(app.say('priceHolds'), html`<span class="hold ${left < 10_000 ? 'warn-text' : ''}">${clockOf(left)}</span>`) : nothing}
    </dl>
    ${swap.summary.length ? html`<h3>${app.say('whatYouSign')}</h3><ol class="sentences">${swap.summary.map((text, at) => sentence(swap, text, at))}</ol>` : nothing}
    ${app.liquidity?.custody(app, swap.route, swap.notes)}${swap.warnings.map((one) => warning(app, swap, one))}${action(app, swap)}`, isBusy && swap.phase === 'submitting' ? undefined : () => app.leaveReview());
}

function sentence(swap: Swap, text: string, at: number): TemplateResult {
  const isDone = at < swap.done;
  const isNow = swap.phase === 'signing' && at === Math.max(swap.done, swap.summary.length > 1 && swap.done === 0 ? swap.summary.length - 2 : swap.done);
  return html`<li class=${isDone ? 'done' : isNow ? 'now' : ''}><span class="mark" aria-hidden="true">${isDone ? icons.check(14) : isNow ? icons.spinner() : at + 1}</span><span dir="auto">${withShortAddresses(text)}</span></li>`;
}

/** A sentence of the service with its addresses and hashes shortened; the whole one is in the title. */
export function withShortAddresses(text = ''): unknown[] {
  return text.split(/(0x[0-9a-fA-F]{40,64}\b|\b[1-9A-HJ-NP-Za-km-z]{32,88}\b)/).map((part, at) => (at % 2 ? html`<bdi class="mono" title=${part}>${short(part)}</bdi>` : part));
}

/** A warning; a severe one is ticked before anything can be confirmed. */
const warning = (app: App, swap: Swap, one: Warning): TemplateResult => notice('warn', isSevere(one) && swap.phase === 'review'
  ? html`<label><input type="checkbox" @change=${({ target }: Event) => { swap.open -= (target as HTMLInputElement).checked ? 1 : -1; app.changed(); }} /> ${withShortAddresses(one.message)}</label>`
  : withShortAddresses(one.message));

function action(app: App, swap: Swap): TemplateResult {
  const busy = (text: string) => html`<button class="cta" disabled>${icons.spinner()}${text}</button>`;
  switch (swap.phase) {
    case 'building': return busy(app.say('preparing'));
    case 'review': return html`<button id="confirm" class="cta" ?disabled=${swap.open} @click=${() => swap.confirm()}>${app.say('confirm')}</button>`;
    case 'signing': return busy(app.say('signing'));
    case 'submitting': return busy(app.say('submitting'));
    case 'expired': return html`${notice('warn', html`<strong>${app.say('expiredTitle')}.</strong> ${app.say('expiredText')}`)}
      <button class="cta" @click=${() => app.leaveReview()}>${app.say('refreshPrice')}</button>`;
    case 'failed': return html`${problem(app, swap.error)}<button class="cta" @click=${() => app.leaveReview()}>${app.say('retry')}</button>`;
  }
}
