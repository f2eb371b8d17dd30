import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from '../app.js';
import { formatUnits } from '../amounts.js';
import * as icons from '../../../design/icons.js';
import { hero, orderSteps } from './order.js';
import { withShortAddresses } from './review.js';
import { amountOf, chainName, clockOf, copyButton, notice, problem, row, screen, type Part } from './parts.js';

export function transferView(app: App): TemplateResult {
  const transfer = app.transfer!;
  const { deposit, error, route } = transfer;
  const settler = route.settlement ? app.liquidity : undefined;
  const { order } = app.tracker;
  const leave = () => app.startOver(true);
  const title = app.say('titleTransfer');
  if (!deposit) {
    return screen(app, title, error === undefined ? html`<div class="hero">${icons.spinner()}<p class="muted">${app.say('makingAddress')}</p></div>`
      : html`${problem(app, error)}<button class="cta" @click=${leave}>${app.say('retry')}</button>`, leave);
  }
  const from = app.from!;
  if (order && order.status !== 'created') {
    return screen(app, title, html`${hero(app, order)}${excess(app)}${orderSteps(app, order)}
      ${app.tracker.isOver ? html`<button id="again" class="cta" @click=${() => app.startOver()}>${app.say('newSwap')}</button>` : html`<p class="under small muted">${app.say('keepOpen')}</p>`}`, leave);
  }
  const amount = formatUnits(route.quote.amountIn, from.decimals);
  const left = (deposit.expiresAt ?? deposit.deposit?.expiresAt ?? Infinity) * 1000 - Date.now();
  const clock = left === Infinity ? '' : left > 0 ? clockOf(left) : '0:00';
  const link = deposit.paymentUri && /^(bitcoin|ethereum|solana):/.test(deposit.paymentUri) ? deposit.paymentUri : undefined;
  // What comes late to a provider may be lost, so its address goes.
  if (settler && left <= 0) return screen(app, title, html`${settler.late(app)}<button class="cta" @click=${leave}>${app.say('retry')}</button>`, leave);
  return screen(app, title, html`
    ${settler?.custody(app, route)}
    <div class="pay">
      <div class="qr"><img src=${transfer.qrCode ?? nothing} alt=${app.say('scan')} width="208" height="208" /></div>
      <p class="pill ${transfer.arrived > 0n ? 'warn' : ''}">${icons.spinner()}${app.say('waitingTransfer')}<span class="hold">${left > 0 ? clock : ''}</span></p>
      <div class="copy-row"><div><span class="muted small">${app.say('sendExactly')}</span><strong class="break"><bdi>${amount} ${from.symbol}</bdi></strong></div>${copyButton(app, amount, app.say('sendExactly'))}</div>
      <div class="copy-row"><div><span class="muted small">${app.say('toAddress')} · ${app.say('onlyOn', { symbol: from.symbol, chain: chainName(app, from.chainId) })}</span><bdi class="mono break">${deposit.depositAddress}</bdi></div>${copyButton(app, deposit.depositAddress, app.say('toAddress'))}</div>
      ${link ? html`<a class="cta second" href=${link}>${app.say('openWallet')}</a>` : nothing}
    </div>
    ${left <= 0 ? notice('warn', app.say('transferLate')) : partly(app)}
    ${transfer.trouble ? notice('warn', transfer.trouble) : nothing}${problem(app, error)}
    <dl class="facts">${row(app.say('youReceive'), amountOf(app, route.quote.minAmountOut, app.to!))}${clock ? row(app.say('timeLeft'), clock) : nothing}</dl>
    ${settler ? settler.notes(deposit.summary, route.heldBy) : html`<details class="terms"><summary>${app.say('details')}${icons.chevron()}</summary>${deposit.summary?.map((text) => html`<p class="small muted" dir="auto">${withShortAddresses(text)}</p>`)}</details>`}`, leave);
}

function partly(app: App): Part {
  const { arrived, missing } = app.transfer!;
  const { symbol, decimals } = app.from!;
  if (arrived === 0n) return nothing;
  if (missing === 0n) return notice('info', app.say('allArrived'));
  return notice('warn', app.say('partArrived', { arrived: formatUnits(arrived, decimals), missing: formatUnits(missing, decimals), symbol }));
}

function excess(app: App): Part {
  const { arrived, route } = app.transfer!;
  const more = arrived - BigInt(route.quote.amountIn);
  return more > 0n ? notice('info', app.say('overpaid', { excess: formatUnits(more, app.from!.decimals), symbol: app.from!.symbol })) : nothing;
}
