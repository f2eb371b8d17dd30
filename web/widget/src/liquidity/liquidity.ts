import type { Bound, BuildAnswer, Order, QuoteAsk, StreamedRoute } from '@causeway/sdk';
import { checkProviderTransfer } from '../../../sdk/src/transfer/check-provider-transfer.js';
import type { App } from '../app.js';
import type { TransferRoute } from '../flows/transfer.js';
import type { Part } from '../views/parts.js';
import type { ChainFamily } from '../wallets/account.js';
import type { TrustedContracts } from '../public.js';
import { contractsOf, isTrusted, payeesOf, type Trust } from './trust.js';
import { PROVIDER_WORDS, type ProviderWords } from './words.js';

// A swap that a provider settles is planned by the SDK, which takes this from the same file.
export { planProvider } from '../../../sdk/src/execute/provider.js';

/** What this file, which is loaded apart, takes from the widget's. */
export interface Tools {
  html: typeof import('lit-html').html;
  say: typeof import('../i18n.js').say;
  notice: typeof import('../views/parts.js').notice;
  withShortAddresses: typeof import('../views/review.js').withShortAddresses;
}

/** What a route and an order say of the provider that settles them. */
type Settled = Pick<StreamedRoute, 'settlement' | 'filler' | 'heldBy' | 'refunds'>;

const NAMES: Readonly<Record<string, string>> = { lifi: 'LI.FI', relay: 'Relay', oneclick: '1Click', zerox: '0x', jupiter: 'Jupiter' };

/** Swaps that liquidity providers settle: which of them the host trusts, and what is said of them. */
export class Liquidity {
  readonly #trust: Trust;
  readonly #tools: Tools;

  constructor({ options, quotes }: App, tools: Tools) {
    this.#trust = options.trustedProviders ?? {};
    this.#tools = tools;
    quotes.trusts = (route, ask) => isTrusted(this.#trust, route, ask);
  }

  /** Stand for a person who has not said where a refund goes: prices can be shown, and nothing can be built for them. */
  readonly nobody: Readonly<Partial<Record<ChainFamily, string>>> = { bip122: '1111111111111111111114oLvT2', tron: 'T9yD14Nj9j7xAB4dbGeiX9h8upfCg3PBbY' };

  /** Whether anybody may be paid at an address. */
  get hasPayees(): boolean {
    return payeesOf(this.#trust).length > 0;
  }

  contractsOf = ({ filler }: StreamedRoute): TrustedContracts => contractsOf(this.#trust, filler ?? '');

  /** Throws unless the transfer is what was asked for, to a provider that the host trusts with the money. */
  async checkTransfer(ask: QuoteAsk, { quote, filler }: TransferRoute, deposit: BuildAnswer, bound: Bound): Promise<void> {
    if (deposit.kind !== 'PROVIDER_TRANSFER') throw new TypeError('The service built another deposit than a transfer to the provider.');
    await checkProviderTransfer(ask, quote, deposit, { ...bound, providers: payeesOf(this.#trust).filter((name) => name === filler) });
  }

  #say(app: App, key: keyof ProviderWords, provider = ''): string {
    const words = { ...PROVIDER_WORDS[app.locale], ...app.options.texts } as Record<string, string>;
    return this.#tools.say(words as never, key as never, { provider: NAMES[provider] ?? provider });
  }

  /** For the list of routes. */
  tag(app: App, { settlement, filler }: Settled): Part | '' {
    return settlement ? this.#tools.html`<span class="tag warn">${this.#say(app, 'settledBy', filler ?? '')}</span>` : '';
  }

  /** Who settles a swap, who holds the money meanwhile, and what a refund looks like. */
  custody(app: App, route: Settled, sentences?: readonly string[]): Part | '' {
    const { html, notice } = this.#tools;
    const { settlement, filler, heldBy, refunds } = route;
    if (!settlement) return '';
    // A transfer's own sentences, which are under its address, tell the rest.
    const more = app.view === 'transfer' ? undefined : refunds;
    return html`${this.notes(sentences, heldBy, more)}${notice('warn', html`<p><strong>${this.#say(app, 'notByEscrow', filler ?? '')}</strong></p>
      ${heldBy ? html`<p>${this.#say(app, 'heldBy')}: <span dir="auto">${heldBy}</span></p>` : ''}
      ${more ? html`<p>${this.#say(app, 'refundBy')}: <span dir="auto">${more}</span></p>` : ''}`)}`;
  }

  custodyOfOrder(app: App, { settlement, heldBy, refunds, providerStatus }: Order): Part | '' {
    return this.custody(app, { settlement, heldBy, refunds, filler: providerStatus?.provider });
  }

  /** The sentences of a deposit but for those that say this, which is said already. */
  notes(sentences: readonly string[] = [], heldBy?: string | null, refunds?: string | null): Part {
    const { html, withShortAddresses } = this.#tools;
    const isNew = (text: string) => text !== refunds && !(heldBy && text.endsWith(` ${heldBy}.`));
    return html`${sentences.filter(isNew).map((text) => html`<p class="small muted break" dir="auto">${withShortAddresses(text)}</p>`)}`;
  }

  /** In place of the address once the time is over. */
  late(app: App): Part {
    return this.#tools.notice('warn', this.#say(app, 'providerLate'));
  }
}
