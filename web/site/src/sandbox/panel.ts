import { html, nothing, render, type TemplateResult } from 'lit-html';
import { catalog, chainName, wordsOf } from '../site.js';
import { chainLogo } from '../../../widget/src/views/logos.js';
import { site } from '../site.js';
import { letFail, readFillers, usdcOn, type SandboxFiller } from './fillers.js';
import { watchRefund } from './refund.js';
import { faucetView } from './faucet.js';
import { addressPath, blockPath, isSolana } from './parts.js';
import { control, switches, type Switches } from './rpc.js';

/** The funded accounts 0 to 9 of the development phrase. */
const WALLETS = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65', '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc', '0x976EA74026E726554dB657fA54763abd0C3a0aa9', '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
  '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f', '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
];

const EVERY = 3000;
/** Where an order fails unless a chain is chosen. */
const ARBITRUM = 42161;
/** What a lying node multiplies its fees by. */
const LIE = 10_000;

/** The sandbox at a glance, with its switches. */
export class Panel {
  chains = new Map<number, Switches | undefined>();
  said = '';
  fillers: SandboxFiller[] = [];
  /** The chain on which fillers fail by the switches; all of them without one. */
  where: number | undefined;
  /** The order whose refund is watched. */
  watched: string | undefined;
  readonly #root: HTMLElement;

  constructor(root: HTMLElement) {
    this.#root = root;
    void this.#look();
  }

  async #look(): Promise<void> {
    if (document.visibilityState === 'visible') await this.#read();
    this.draw();
    setTimeout(() => void this.#look(), EVERY);
  }

  async #read(): Promise<void> {
    const ids = [...catalog.chains.keys()];
    const [fillers, ...found] = await Promise.all([readFillers().catch(() => this.fillers), ...ids.map((id) => switches(id).catch(() => undefined))]);
    this.fillers = fillers;
    this.chains = new Map(ids.map((id, at) => [id, found[at]]));
  }

  draw(): void {
    render(this.#view(), this.#root);
  }

  /** Does something, and says how it went. */
  readonly #act = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    this.said = `${what}…`;
    this.draw();
    this.said = await act().then(() => `${what}: done.`, (error: unknown) => `${what}: ${wordsOf(error)}`);
    this.draw();
  };

  /** Moves a switch of a chain, and reads how all of them stand. */
  #move(what: string, id: number, request: Record<string, unknown>): void {
    void this.#act(`${what} ${chainName(id)}`, async () => {
      await control(id, request);
      await this.#read();
    });
  }

  #view(): TemplateResult {
    return html`<h1>Sandbox</h1>
      <p class="under">Chains inside this process, with play money. A node that fails refuses every second call; one that lies names fees ten thousand times too high, and the next quotes show it.</p>
      <p class="said" role="status">${this.said}</p>
      <div class="order-grid">
        <section class="card" aria-labelledby="faucet"><h2 id="faucet">Faucet</h2>${faucetView((what, act) => void this.#act(what, act))}</section>
        <section class="card" aria-labelledby="fillers"><h2 id="fillers">Fail a filler</h2>${this.#fillersView()}</section>
      </div>
      <section aria-labelledby="chains"><h2 id="chains">Chains</h2>
        <div class="table-wrap" tabindex="0"><table class="table chain-table"><thead><tr><th scope="col">Chain</th><th scope="col" class="number">Newest block</th><th scope="col">Switches</th></tr></thead>
        <tbody>${[...catalog.chains.values()].map(({ id, name }) => this.#chainRow(id, name ?? ''))}</tbody></table></div></section>
      <section class="card" aria-labelledby="wallets"><h2 id="wallets">Wallets</h2>
        <p class="under small">The accounts of the phrase <code>test test test test test test test test test test test junk</code>; everybody knows its keys. Each has 10,000 coins and a million dollars of each stablecoin on every chain.</p>
        <ul class="wallet-list">${WALLETS.map((address, at) => html`<li><span class="muted small">${at}</span> <a href=${addressPath(8453, address)}><bdi class="mono break">${address}</bdi></a></li>`)}</ul></section>`;
  }

  #chainRow(id: number, name: string): TemplateResult {
    const now = this.chains.get(id);
    const { height, paused, failing, lying } = now ?? { height: undefined, paused: false, failing: false, lying: false };
    const tag = (isOn: boolean, kind: string, text: string) => (isOn ? html`<span class="tag ${kind}">${text}</span>` : nothing);
    const button = (text: string, what: string, request: Record<string, unknown>, isOn?: boolean) =>
      html`<button type="button" class="button small" aria-label="${what} ${name}" aria-pressed=${isOn ?? nothing} @click=${() => this.#move(what, id, request)}>${text}</button>`;
    return html`<tr><th scope="row"><span class="chain-name">${chainLogo(site, id)}<span>${name}</span>${tag(paused, 'warn', 'paused')}${tag(failing, 'bad', 'failing')}${tag(lying, 'bad', 'lying')}</span></th>
      <td class="number">${height === undefined ? '—' : html`<a href=${blockPath(id, height)}>${height.toLocaleString('en')}</a>`}</td>
      <td><span class="switches">
        ${paused ? button('Resume', 'Resume', { action: 'resume' }) : button('Pause', 'Pause', { action: 'pause' })}
        ${button('Block', 'Make a block on', { action: 'mine', blocks: 1 })}
        ${button('Reorganise', 'Reorganise', { action: 'reorg', blocks: 2 })}
        ${failing ? button('Heal', 'Heal the node of', { action: 'faults' }) : button('Fail calls', 'Fail every second call of', { action: 'faults', failEvery: 2 })}
        ${lying ? button('Be honest', 'End the lies of', { action: 'faults' }) : button('Lie', 'Lie about the fees of', { action: 'faults', lies: { feeFactor: LIE } })}</span></td></tr>`;
  }

  #fillersView(): TemplateResult {
    // The payer of such an order has keys for EVM chains only.
    const canOrder = this.where === undefined || (!isSolana(this.where) && usdcOn(this.where) !== undefined);
    const choose = (event: Event) => {
      this.where = Number((event.target as HTMLSelectElement).value) || undefined;
      this.draw();
    };
    const watch = () => {
      this.watched = undefined;
      void this.#act('Watch a refund', () => watchRefund(this.where ?? ARBITRUM, {
        say: (words) => {
          this.said = `${words}…`;
          this.draw();
        },
        made: (orderId) => {
          this.watched = orderId;
          this.draw();
        },
      }));
    };
    return html`<p class="under small">A filler that fails still makes offers. It delivers nothing, so the deposit of its order comes back. Let both fail, swap on the <a href="/">start page</a> and watch; or let the button make such an order.</p>
      <div class="field"><label for="r-chain">Orders to</label><select id="r-chain" @change=${choose}><option value="">Every chain</option>${[...catalog.chains.values()].map(({ id, name }) => html`<option value=${id} ?selected=${id === this.where}>${name}</option>`)}</select></div>
      <ul class="filler-list plain-list" aria-label="Fillers">${this.fillers.map((filler) => this.#fillerRow(filler))}</ul>
      <p class="switches"><button type="button" class="button primary" ?disabled=${!canOrder} @click=${watch}>Make an order fail</button></p>
      ${this.watched ? html`<p class="watched">See it: <a href="/order/${this.watched}" target="_blank">order <bdi class="mono">${this.watched.slice(0, 8)}</bdi></a></p>` : nothing}`;
  }

  #fillerRow({ name, accounts, chains, failing }: SandboxFiller): TemplateResult {
    const { where } = this;
    const isFailing = where === undefined ? failing.length > 0 : failing.includes(where);
    const places = failing.length === chains ? 'everywhere' : failing.length > 2 ? `on ${failing.length} chains` : `on ${failing.map(chainName).join(' and ')}`;
    const what = `${isFailing ? 'Heal' : 'Fail'} ${name}`;
    const move = () => void this.#act(what, async () => {
      await letFail(name, !isFailing, where);
      await this.#read();
    });
    const [account = ''] = accounts;
    return html`<li><span class="filler-name"><strong>${name}</strong> <a href=${addressPath(where ?? ARBITRUM, account)}><bdi class="mono">${account.slice(0, 10)}…</bdi></a> ${failing.length > 0 ? html`<span class="tag bad">fails ${places}</span>` : html`<span class="tag good">delivers</span>`}</span>
      <button type="button" class="button small" aria-pressed=${isFailing} @click=${move}>${what}</button></li>`;
  }
}
