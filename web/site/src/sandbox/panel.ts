import { html, nothing, render, type TemplateResult } from 'lit-html';
import { catalog, chainName, wordsOf } from '../site.js';
import { chainLogo } from '../../../widget/src/views/logos.js';
import { site } from '../site.js';
import { emptyFillers, FILLERS, refill, usdcOn } from './fillers.js';
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
/** What a lying node multiplies its fees by. */
const LIE = 10_000;

/** The sandbox at a glance, with its switches. */
export class Panel {
  chains = new Map<number, Switches | undefined>();
  said = '';
  /** Whose fillers lose their money. */
  emptied = 8453;
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
    const found = await Promise.all(ids.map((id) => switches(id).catch(() => undefined)));
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

  #refundView(): TemplateResult {
    const chains = [...catalog.chains.values()].filter(({ id }) => !isSolana(id) && usdcOn(id));
    const choose = (event: Event) => {
      this.emptied = Number((event.target as HTMLSelectElement).value);
    };
    const on = () => `of USDC on ${chainName(this.emptied)}`;
    const watch = () => {
      this.watched = undefined;
      void this.#act('Watch a refund', () => watchRefund(this.emptied, {
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
    return html`<p class="under small">An order of 25 USDC is made, the fillers lose all their USDC there, and the order is paid. Nobody can deliver, so the deposit comes back, and the fillers are refilled.</p>
      <div class="field"><label for="r-chain">Fillers that fail</label><select id="r-chain" @change=${choose}>${chains.map(({ id, name }) => html`<option value=${id} ?selected=${id === this.emptied}>USDC on ${name}</option>`)}</select></div>
      <p class="switches"><button type="button" class="button primary" @click=${watch}>Make an order fail</button>
        <button type="button" class="button danger" @click=${() => void this.#act(`Empty the fillers ${on()}`, () => emptyFillers(this.emptied))}>Empty the fillers</button>
        <button type="button" class="button" @click=${() => void this.#act(`Refill the fillers ${on()}`, () => refill(this.emptied))}>Refill them</button></p>
      ${this.watched ? html`<p class="watched">See it: <a href="/order/${this.watched}" target="_blank">order <bdi class="mono">${this.watched.slice(0, 8)}</bdi></a></p>` : nothing}
      <p class="small muted">${Object.entries(FILLERS).map(([name, { address }]) => html`${name}: <a href=${addressPath(this.emptied, address)}><bdi class="mono">${address.slice(0, 10)}…</bdi></a> `)}</p>`;
  }
}
