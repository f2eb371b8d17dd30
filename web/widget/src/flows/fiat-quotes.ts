import { ApiAbortedError, streamFiatQuotes, type Client, type FiatQuoteError, type FiatQuote, type FiatQuoteAsk } from '@causeway/sdk';

const TYPING = 400;
const AHEAD = 5000;
/** How long an offer is shown that does not say how long it holds. */
const UNSAID = 30_000;

/** One offer of each provider, and why the others have none; asked for anew before they expire. */
export class FiatQuotes {
  ask: FiatQuoteAsk | undefined;
  quotes: FiatQuote[] = [];
  refusals: FiatQuoteError[] = [];
  isLoading = false;
  error: unknown;
  /** The provider that the person chose, and the kind of route of a jump. */
  provider: string | undefined;
  routeId: string | undefined;
  readonly #client: Client;
  readonly #changed: () => void;
  #abort: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #key = '';

  constructor(client: Client, changed: () => void) {
    this.#client = client;
    this.#changed = changed;
  }

  get quote(): FiatQuote | undefined {
    return this.quotes.find(({ provider }) => provider === this.provider) ?? this.quotes[0];
  }

  want(ask: FiatQuoteAsk | undefined): void {
    const key = JSON.stringify(ask);
    if (key === this.#key) return;
    this.#key = key;
    this.stop();
    Object.assign(this, { ask, quotes: [], refusals: [], error: undefined, isLoading: ask !== undefined });
    if (ask) this.#timer = setTimeout(() => void this.#run(ask), TYPING);
    this.#changed();
  }

  refresh(): void {
    if (!this.ask) return;
    this.stop();
    void this.#run(this.ask);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort?.abort();
    this.isLoading = false;
  }

  async #run(ask: FiatQuoteAsk): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.isLoading = true;
    this.#changed();
    const fresh: FiatQuote[] = [];
    const refusals: FiatQuoteError[] = [];
    try {
      for await (const line of streamFiatQuotes(this.#client, ask, { signal: abort.signal })) {
        if ('quote' in line) fresh.push(line.quote);
        else refusals.push(line.error);
        if (this.quotes.length <= fresh.length) this.#show(fresh, refusals);
      }
      this.error = undefined;
    } catch (error) {
      if (abort.signal.aborted || error instanceof ApiAbortedError) return;
      this.error = error;
    }
    this.isLoading = false;
    this.#show(fresh, refusals);
    if (fresh.length > 0) {
      const first = Math.min(...fresh.map(({ expiresAt }) => (expiresAt === undefined ? Date.now() + UNSAID : expiresAt * 1000)));
      this.#timer = setTimeout(() => void this.#run(ask), Math.max(first - Date.now() - AHEAD, 5000));
    }
  }

  #show(quotes: readonly FiatQuote[], refusals: readonly FiatQuoteError[]): void {
    const gain = (a: FiatQuote, b: FiatQuote) => outputOf(b) - outputOf(a);
    this.quotes = [...quotes].sort((a, b) => (gain(a, b) > 0n ? 1 : gain(a, b) < 0n ? -1 : 0));
    this.refusals = [...refusals];
    this.#changed();
  }
}

/** An offer that does not say what it brings comes last. */
const outputOf = ({ expectedOutputAmount, cryptoAmount }: FiatQuote): bigint => BigInt(expectedOutputAmount ?? cryptoAmount ?? -1);
