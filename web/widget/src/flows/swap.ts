import { ApiAbortedError, QuoteExpiredError, type Batch, type Client, type ExecuteOptions, type QuoteAsk, type Step, type StreamedRoute, type Terms, type Warning } from '@causeway/sdk';
import type { Account } from '../wallets/account.js';
import { isRejection } from '../errors.js';
import { executeHeldQuote } from './held-quote.js';
import { keepUnsubmitted } from './orders.js';
import { keepTerms } from './take-back.js';

export type Phase = 'building' | 'review' | 'signing' | 'submitting' | 'expired' | 'failed';

/** Callbacks for the host. */
export interface SwapEvents {
  submitted(orderId: string, txHash: string | undefined): void;
  canceled(): void;
  failed(error: unknown): void;
  changed(): void;
}

/** How to deposit, and what the host says of escrows, providers and networks. */
export type How = Pick<ExecuteOptions, 'depositMethod' | 'escrows' | 'trustedProviders' | 'chains'>;

export const isSevere = ({ severity }: Warning): boolean => severity === 'severe';

/** One route from its review to the submitted deposit. */
export class Swap {
  phase: Phase = 'building';
  error: unknown;
  /** One sentence for each thing that the wallet is asked for. */
  summary: string[] = [];
  /** What else a deposit says that a provider settles. */
  notes: string[] = [];
  /** What to know before signing. */
  warnings: Warning[] = [];
  /** How many severe warnings wait for a yes. */
  open = 0;
  /** What the chain will know of the order. */
  #terms: Terms | undefined;
  /** How many of the sentences are done. */
  done = 0;
  readonly ask: QuoteAsk;
  readonly route: StreamedRoute;
  readonly account: Account;
  readonly #client: Client;
  readonly #events: SwapEvents;
  readonly #how: How;
  #abort = new AbortController();
  #confirm = () => {};
  /** A deposit that was sent cannot be called back. */
  #isSent = false;
  #txHash: string | undefined;

  constructor(client: Client, ask: QuoteAsk, route: StreamedRoute, account: Account, how: How, events: SwapEvents) {
    this.#client = client;
    this.ask = ask;
    this.route = route;
    this.account = account;
    this.#how = how;
    this.#events = events;
    void this.#run();
  }

  /** The person agrees; the wallet is asked now. */
  confirm(): void {
    if (this.phase !== 'review') return;
    this.phase = 'signing';
    this.#confirm();
    this.#events.changed();
  }

  /** The price no longer holds, and nothing was signed. */
  expire(): void {
    if (this.phase !== 'review') return;
    this.#abort.abort();
    this.phase = 'expired';
    this.#events.changed();
  }

  cancel(): void {
    if (this.#isSent) return;
    this.#abort.abort();
    this.#events.canceled();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const confirmed = new Promise<void>((resolve, reject) => {
      this.#confirm = resolve;
      signal.addEventListener('abort', () => reject(new ApiAbortedError()));
    });
    confirmed.catch(() => {});
    const onStep = (step: Step) => this.#on(step);
    // The review asks for a yes to each severe warning, and nothing is signed before.
    const options = { ...this.#how, signal, onStep, acceptWarnings: () => true };
    try {
      await executeHeldQuote(this.#client, this.ask, this.route, this.account.wallet, confirmed, options);
    } catch (error) {
      if (signal.aborted) return;
      if (isRejection(error)) this.#events.canceled();
      this.error = error;
      this.phase = error instanceof QuoteExpiredError ? 'expired' : 'failed';
      this.#events.failed(error);
      this.#events.changed();
    }
  }

  #on(step: Step): void {
    if (step.type === 'built') {
      // A provider's deposit has no terms, and sentences beyond those of its requests.
      const { summary = [], warnings = [], terms, approvals = [] } = step.deposit as { summary?: string[]; warnings?: Warning[]; terms?: Terms; approvals?: unknown[] };
      const asked = this.route.settlement ? approvals.length : summary.length;
      Object.assign(this, { phase: 'review', summary: summary.slice(0, asked), notes: summary.slice(asked), warnings, open: warnings.filter(isSevere).length });
      this.#terms = terms;
    } else if (step.type === 'batched') {
      this.#deposited({ batchId: step.batchId, escrow: step.escrow });
    } else if (step.type === 'sent') {
      // The network is switched before anything is sent, and a wallet says nothing of that.
      this.done = Math.max(this.done + 1, this.summary.length - 1);
      if (step.deposit) {
        this.#txHash = step.txHash;
        this.#deposited({ txHash: step.txHash });
      }
    } else if (step.type === 'submitted') {
      keepUnsubmitted(this.#client, undefined);
      if (this.#terms) keepTerms(step.order.orderId, this.#terms);
      // The order is followed elsewhere from here on, as it would be after a reload.
      this.#abort.abort();
      this.#events.submitted(step.order.orderId, step.order.txHash ?? this.#txHash);
    }
    this.#events.changed();
  }

  /** The wallet has the deposit, alone or in a batch. */
  #deposited(sent: { txHash: string } | Batch): void {
    this.#isSent = true;
    this.phase = 'submitting';
    this.done = this.summary.length;
    const { quoteId, routeId } = this.route;
    keepUnsubmitted(this.#client, { quoteId, routeId, ...sent });
  }
}
