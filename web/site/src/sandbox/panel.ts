import { html, nothing, render, type TemplateResult } from 'lit-html';
import { catalog, chainName, wordsOf } from '../site.js';
import { chainLogo } from '../../../widget/src/views/logos.js';
import { site } from '../site.js';
import { emptyFillers, FILLERS, refill } from './fillers.js';
import { faucetView } from './faucet.js';
import { addressPath, blockPath, isSolana } from './parts.js';
import { control, rpc } from './rpc.js';

/** The funded accounts 0 to 9 of the development phrase. */
const WALLETS = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC', '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65', '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc', '0x976EA74026E726554dB657fA54763abd0C3a0aa9', '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
  '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f', '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
];

const EVERY = 3000;

/** The sandbox at a glance, with its switches. */
export class Panel {
  heights = new Map<number, number | undefined>();
  paused = new Set<number>();
  faults = new Set<number>();
  said = '';
  readonly #root: HTMLElement;

  constructor(root: HTMLElement) {
    this.#root = root;
    void this.#look();
  }

  async #look(): Promise<void> {
    if (document.visibilityState === 'visible') {
      const ids = [...catalog.chains.keys()];
      const found = await Promise.all(ids.map((id) => (isSolana(id) ? rpc<number>(id, 'getSlot') : rpc<string>(id, 'eth_blockNumber').then(Number)).catch(() => undefined)));
      this.heights = new Map(ids.map((id, at) => [id, found[at]]));
    }
    this.draw();
    setTimeout(() => void this.#look(), EVERY);
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

  #switch(id: number, isPaused: boolean): void {
    void this.#act(`${isPaused ? 'Resume' : 'Pause'} ${chainName(id)}`, async () => {
      await control(id, { action: isPaused ? 'resume' : 'pause' });
      if (isPaused) this.paused.delete(id);
      else this.paused.add(id);
    });
  }

  #fault(id: number): void {
    const isOn = this.faults.has(id);
    void this.#act(`${isOn ? 'End the faults of' : 'Fail every second call of'} ${chainName(id)}`, async () => {
      await control(id, isOn ? { action: 'faults' } : { action: 'faults', failEvery: 2 });
      if (isOn) this.faults.delete(id);
      else this.faults.add(id);
    });
  }

  #view(): TemplateResult {
    return html`<h1>Sandbox</h1>
      <p class="under">Chains inside this process, with play money. Whatever you switch here, only play money is at stake.</p>
      <p class="said" role="status">${this.said}</p>
      <section aria-labelledby="chains"><h2 id="chains">Chains</h2>
        <div class="table-wrap" tabindex="0"><table class="table chain-table"><thead><tr><th scope="col">Chain</th><th scope="col" class="number">Newest block</th><th scope="col">Switches</th></tr></thead>
        <tbody>${[...catalog.chains.values()].map(({ id, name }) => this.#chainRow(id, name ?? ''))}</tbody></table></div></section>
      <div class="order-grid">
        <section class="card" aria-labelledby="faucet"><h2 id="faucet">Faucet</h2>${faucetView((what, act) => void this.#act(what, act))}</section>
        <section class="card" aria-labelledby="fillers"><h2 id="fillers">Watch a refund</h2>${this.#refundView()}</section>
      </div>
      <section class="card" aria-labelledby="wallets"><h2 id="wallets">Wallets</h2>
        <p class="under small">The accounts of the phrase <code>test test test test test test test test test test test junk</code>; everybody knows its keys. Each has 10,000 coins and a million dollars of each stablecoin on every chain.</p>
        <ul class="wallet-list">${WALLETS.map((address, at) => html`<li><span class="muted small">${at}</span> <a href=${addressPath(8453, address)}><bdi class="mono break">${address}</bdi></a></li>`)}</ul></section>`;
  }

  #chainRow(id: number, name: string): TemplateResult {
    const height = this.heights.get(id);
    const isPaused = this.paused.has(id);
    return html`<tr><th scope="row"><span class="chain-name">${chainLogo(site, id)}<span>${name}</span>${isPaused ? html`<span class="tag warn">paused</span>` : nothing}${this.faults.has(id) ? html`<span class="tag bad">failing</span>` : nothing}</span></th>
      <td class="number">${height === undefined ? '—' : html`<a href=${blockPath(id, height)}>${height.toLocaleString('en')}</a>`}</td>
      <td><span class="switches">
        <button type="button" class="button small" aria-label="${isPaused ? 'Resume' : 'Pause'} ${name}" @click=${() => this.#switch(id, isPaused)}>${isPaused ? 'Resume' : 'Pause'}</button>
        <button type="button" class="button small" aria-label="Make a block on ${name}" @click=${() => void this.#act(`Make a block on ${name}`, () => control(id, { action: 'mine', blocks: 1 }))}>Block</button>
        <button type="button" class="button small" aria-label="Reorganise ${name}" @click=${() => void this.#act(`Reorganise ${name}`, () => control(id, { action: 'reorg', blocks: 2 }))}>Reorganise</button>
        <button type="button" class="button small" aria-label="${this.faults.has(id) ? 'End the faults of' : 'Fail calls of'} ${name}" @click=${() => this.#fault(id)}>${this.faults.has(id) ? 'Heal' : 'Fail calls'}</button></span></td></tr>`;
  }

  #refundView(): TemplateResult {
    return html`<ol class="steps-list">
        <li>On the <a href="/" target="_blank">start page</a>, bring a swap of ETH for USDC on Base to its review.</li>
        <li>Empty the fillers here: what they promised is gone.</li>
        <li>Confirm the swap. Nobody can deliver, so the deposit comes back.</li></ol>
      <p class="switches"><button type="button" class="button danger" @click=${() => void this.#act('Empty the fillers of USDC on Base', emptyFillers)}>Empty the fillers</button>
        <button type="button" class="button" @click=${() => void this.#act('Refill the fillers', refill)}>Refill them</button></p>
      <p class="small muted">${Object.entries(FILLERS).map(([name, { address }]) => html`${name}: <a href=${addressPath(8453, address)}><bdi class="mono">${address.slice(0, 10)}…</bdi></a> `)}</p>`;
  }
}
