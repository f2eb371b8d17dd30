import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from '../app.js';
import { short } from '../amounts.js';
import type { Method } from '../public.js';
import { formView } from './form.js';
import { historyView } from './history.js';
import * as icons from '../../../design/icons.js';
import { walletLogo } from './logos.js';
import { orderView } from './order.js';
import { notice } from './parts.js';
import { pickerView } from './picker.js';
import { purchaseView } from './purchase.js';
import { reviewView } from './review.js';
import { settingsView } from './settings.js';
import { transferView } from './transfer.js';
import { walletsView } from './wallets.js';

const TITLES = { swap: 'titleSwap', transfer: 'titleTransfer', buy: 'titleBuy' } as const;

export function shell(app: App): TemplateResult {
  return html`<section class="card" part="card" aria-label=${app.say(TITLES[app.method])}>
    ${viewOf(app)}
    ${app.catalog.isSandbox ? html`<footer class="foot"><span class="dot" aria-hidden="true"></span>${app.say('sandbox')}</footer>` : nothing}
    <p class="unseen" role="status">${announcement(app)}</p>
  </section>`;
}

function viewOf(app: App): TemplateResult {
  switch (app.view) {
    case 'picker': return pickerView(app);
    case 'wallets': return walletsView(app);
    case 'settings': return settingsView(app);
    case 'history': return historyView(app);
    case 'review': return reviewView(app);
    case 'order': return orderView(app);
    case 'transfer': return transferView(app);
    case 'purchase': return purchaseView(app);
    case 'form': return main(app);
  }
}

function main(app: App): TemplateResult {
  const tabs = app.methods.length > 1 ? tablist(app) : nothing;
  return html`<header class="head main">
      <h2 tabindex="-1" class=${app.options.hideTitle ? 'unseen' : ''}>${app.say(TITLES[app.method])}</h2>
      <div class="actions">
        ${app.wallets.accounts.size > 0 ? html`<button id="open-history" class="icon-button" aria-label=${app.say('history')} @click=${() => void app.showHistory()}>${icons.clock()}</button>` : nothing}
        <button id="open-settings" class="icon-button" aria-label=${app.say('settings')} @click=${() => app.show('settings')}>${icons.gear()}</button>
        ${walletChip(app)}
      </div>
    </header>
    ${tabs}
    <div class="body">
      ${app.loadError ? notice('bad', app.say('loadFailed')) : nothing}
      ${formView(app)}
    </div>`;
}

function tablist(app: App): TemplateResult {
  const tab = (method: Method) => html`<button class="tab" aria-pressed=${app.method === method} @click=${() => app.choose(method)}>${app.say(method)}</button>`;
  return html`<div class="tabs" role="group" aria-label=${app.say(TITLES[app.method])}>${app.methods.map(tab)}</div>`;
}

function walletChip(app: App): TemplateResult {
  const accounts = [...app.wallets.accounts.values()];
  const account = app.payer ?? app.receiver ?? accounts[0];
  const open = () => {
    app.walletFamily = app.from && app.catalog.familyOf(app.from.chainId) === 'solana' ? 'solana' : 'eip155';
    app.show('wallets');
  };
  return account
    ? html`<button id="open-wallets" class="chip" aria-label="${app.say('connected')}: ${account.name} ${account.address}" @click=${open}>${walletLogo(account.name, account.icon)}<bdi class="mono">${short(account.address)}</bdi></button>`
    : html`<button id="open-wallets" class="icon-button" aria-label=${app.say('connect')} @click=${open}>${icons.wallet()}</button>`;
}

/** What a person who does not see the screen should hear. */
function announcement(app: App): string {
  const { order } = app.tracker;
  if (app.view === 'order' || app.view === 'transfer') {
    if (order?.status === 'filled') return app.say('orderFilled');
    if (order?.status === 'refunded') return app.say('orderRefunded');
    if (order?.status === 'failed') return app.say('orderFailed');
    if (order?.status === 'published') return app.say('orderDelivering');
    return app.view === 'transfer' ? app.say('waitingTransfer') : app.say('orderWaiting');
  }
  if (app.view === 'review' && app.swap?.phase === 'signing') return app.say('signing');
  if (app.view !== 'form') return '';
  if (app.quotes.isLoading && app.quotes.routes.length === 0) return app.say('findingRoutes');
  return '';
}
