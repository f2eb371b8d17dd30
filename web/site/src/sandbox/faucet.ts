import { html, type TemplateResult } from 'lit-html';
import { parseUnits } from '../../../widget/src/amounts.js';
import { catalog, chainName, getJson } from '../site.js';
import { coinOf } from './parts.js';

let chosen = 8453;

/** A form that gives play money. */
export function faucetView(act: (what: string, act: () => Promise<unknown>) => void): TemplateResult {
  const tokens = catalog.top.filter(({ chainId }) => chainId === chosen);
  const coin = coinOf(chosen);
  const give = (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const address = String(form.get('address')).trim();
    const token = tokens.find((one) => one.address === form.get('token'));
    const decimals = token?.decimals ?? coin?.decimals ?? 18;
    const amount = parseUnits(String(form.get('amount')), decimals);
    act(`Give ${String(form.get('amount'))} ${token?.symbol ?? coin?.symbol} on ${chainName(chosen)}`, async () => {
      if (amount === undefined) throw new Error('That is no amount.');
      await getJson('/sandbox/faucet', { method: 'POST', body: JSON.stringify({ chainId: chosen, address, ...(token ? { token: token.address } : {}), amount: String(amount) }) });
    });
  };
  const choose = (event: Event) => {
    chosen = Number((event.target as HTMLSelectElement).value);
  };
  return html`<form class="faucet" @submit=${give}>
    <div class="field"><label for="f-chain">Chain</label><select id="f-chain" name="chain" @change=${choose}>${[...catalog.chains.values()].map(({ id, name }) => html`<option value=${id} ?selected=${id === chosen}>${name}</option>`)}</select></div>
    <div class="field"><label for="f-token">Token</label><select id="f-token" name="token">${tokens.map((token) => html`<option value=${token.address}>${token.symbol}</option>`)}</select></div>
    <div class="field"><label for="f-amount">Amount</label><input id="f-amount" name="amount" inputmode="decimal" value="100" autocomplete="off" required /></div>
    <div class="field wide"><label for="f-address">Address</label><input id="f-address" name="address" class="mono" autocomplete="off" spellcheck="false" required placeholder="0x…" /></div>
    <button class="button primary wide">Give</button></form>`;
}
