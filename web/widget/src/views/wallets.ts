import { html, nothing, type TemplateResult } from 'lit-html';
import type { App } from '../app.js';
import { short } from '../amounts.js';
import type { WalletChoice } from '../wallets/account.js';
import { walletLogo } from './logos.js';
import { copyButton, problem, screen } from './parts.js';

const FAMILIES = { eip155: 'EVM', solana: 'Solana' } as const;

/** Whether there is anything but EVM to connect to. */
const hasSolana = (app: App) => [...app.catalog.chains.values()].some(({ type }) => type === 'solana');

export function walletsView(app: App): TemplateResult {
  const families = hasSolana(app) || !app.isReady ? (['eip155', 'solana'] as const) : (['eip155'] as const);
  const choices = app.wallets.choices.filter(({ family }) => family === app.walletFamily);
  const account = app.wallets.accounts.get(app.walletFamily);
  return screen(app, app.say('connectTitle'), html`
    ${families.length > 1 ? html`<div class="tabs" role="group" aria-label=${app.say('network')}>${families.map((family) => html`<button class="tab" aria-pressed=${app.walletFamily === family}
      @click=${() => { app.walletFamily = family; app.changed(); }}>${FAMILIES[family]}</button>`)}</div>` : nothing}
    ${account ? html`<div class="account">${walletLogo(account.name, account.icon)}<div class="item-main"><strong>${account.name}</strong><bdi class="mono muted small">${short(account.address)}</bdi></div>
      ${copyButton(app, account.address, account.name)}<button class="small-button" @click=${() => app.wallets.disconnect(app.walletFamily)}>${app.say('disconnect')}</button></div>` : nothing}
    ${problem(app, app.walletError)}
    ${choices.length ? html`<ul class="wallet-list">${choices.map((choice) => choiceRow(app, choice))}</ul>` : html`<p class="empty muted">${app.say('noWallets')}</p>`}`);
}

function choiceRow(app: App, choice: WalletChoice): TemplateResult {
  const isTest = choice.id.startsWith('test:');
  return html`<li><button class="item" @click=${() => void app.connect(choice.id)}>${walletLogo(choice.name, choice.icon)}
    <span class="item-main"><strong>${isTest ? app.say('testWallet') : choice.name}</strong>${isTest ? html`<span class="muted small">${app.say('testWalletNote')}</span>` : nothing}</span></button></li>`;
}
