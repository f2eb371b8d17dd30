import { ApiAbortedError, CannotFillError, isTransient, streamQuotes, type Client, type QuoteAsk, type StreamedRoute } from '@causeway/sdk';

/** Who fills the route. Where routes name no filler, their ids are short names; sealed ids say nothing to a person. */
export function fillerOf(route: Pick<StreamedRoute, 'routeId' | 'type'>): string {
  const { filler } = route as { filler?: string };
  return filler ?? (route.routeId.length <= 32 ? route.routeId : route.type ?? '');
}

/** How a route can be deposited for; one that does not say takes a call of the contract, as every route does. */
export const methodsOfRoute = ({ depositMethods }: Pick<StreamedRoute, 'depositMethods'>): string[] => depositMethods ?? ['CONTRACT_CALL'];

/** What stays the same of a route from one quote to the next. */
export const kindOf = (route: StreamedRoute): string => `${fillerOf(route)} ${methodsOfRoute(route).join()}`;

/** Until when a route's price holds, in milliseconds of this clock; infinite where the route does not say. */
export const expiryOf = ({ quote }: StreamedRoute): number => Math.min(quote.validBefore ?? Infinity, quote.quoteExpiresAt ?? Infinity) * 1000;

/** Whether the escrow pays this output exactly. What a provider delivers is its word. */
export const isGuaranteed = ({ quote, settlement }: Pick<StreamedRoute, 'quote' | 'settlement'>): boolean => quote.minAmountOut === quote.amountOut && !settlement;

const TYPING = 350;
/** A new quote is asked for this long before the last one expires. */
const AHEAD = 4000;
const RETRY = 5000;
/** A price that does not say how long it holds is asked for again this often, and so is one that no filler has. */
const UNSAID = 30_000;

/** The routes of the newest quote, streamed and refreshed by themselves. */
export class Quotes {
  ask: QuoteAsk | undefined;
  routes: StreamedRoute[] = [];
  isLoading = false;
  error: unknown;
  /** The kind of route that the person chose, and the filler that went away while it was chosen. */
  chosen: string | undefined;
  lost: string | undefined;
  /** Whether the host trusts the provider of a route. */
  trusts: ((route: StreamedRoute, ask: QuoteAsk) => boolean) | undefined;
  readonly #client: Client;
  readonly #changed: () => void;
  readonly #came: (route: StreamedRoute) => void;
  #abort: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #key = '';

  constructor(client: Client, changed: () => void, came: (route: StreamedRoute) => void) {
    this.#client = client;
    this.#changed = changed;
    this.#came = came;
  }

  /** The route that would be taken now. */
  get route(): StreamedRoute | undefined {
    return this.routes.find((route) => kindOf(route) === this.chosen) ?? this.routes[0];
  }

  /** Asks for this from now on; nothing where there is nothing to ask. The same again changes nothing. */
  want(ask: QuoteAsk | undefined): void {
    const key = JSON.stringify(ask);
    if (key === this.#key) return;
    this.#key = key;
    this.stop();
    Object.assign(this, { ask, routes: [], error: undefined, chosen: undefined, lost: undefined, isLoading: ask !== undefined });
    if (ask) this.#timer = setTimeout(() => void this.#run(ask), TYPING);
    this.#changed();
  }

  /** Asks again at once. */
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

  /** Forgets what was wanted, so that the same may be wanted again. */
  clear(): void {
    this.want(undefined);
  }

  async #run(ask: QuoteAsk): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.isLoading = true;
    this.#changed();
    const fresh: StreamedRoute[] = [];
    let error: unknown;
    try {
      for await (const route of streamQuotes(this.#client, ask, { signal: abort.signal })) {
        // A provider that settles itself holds the money, so the host must trust it.
        if (route.settlement && !this.trusts?.(route, ask)) continue;
        fresh.push(route);
        this.#came(route);
        // Old routes stand until the new quote has been answered, so that nothing jumps while it is asked for.
        if (this.routes.length <= fresh.length || this.routes[0]?.quoteId === route.quoteId) this.#show(fresh, ask);
      }
    } catch (caught) {
      error = caught;
    }
    if (abort.signal.aborted || error instanceof ApiAbortedError) return;
    this.isLoading = false;
    this.error = fresh.length > 0 ? undefined : error;
    this.#show(fresh, ask);
    const first = Math.min(...fresh.map(expiryOf));
    // Fillers that did not answer in time, or cannot deliver now, may do so a little later.
    const wait = fresh.length > 0 ? Math.max(first === Infinity ? UNSAID : first - Date.now() - AHEAD, 2000)
      : error === undefined || isTransient(error) ? RETRY : error instanceof CannotFillError ? UNSAID : undefined;
    if (wait !== undefined) this.#timer = setTimeout(() => this.#again(ask), wait);
    this.#changed();
  }

  /** A page that nobody looks at asks when it is looked at again. */
  #again(ask: QuoteAsk): void {
    if (document.visibilityState === 'visible') return void this.#run(ask);
    const seen = () => {
      document.removeEventListener('visibilitychange', seen);
      if (this.ask === ask) this.refresh();
    };
    document.addEventListener('visibilitychange', seen);
  }

  #show(fresh: readonly StreamedRoute[], ask: QuoteAsk): void {
    this.routes = ranked(fresh, ask.tradeType === 'EXACT_OUTPUT');
    const gone = !this.isLoading && this.chosen !== undefined && !fresh.some((route) => kindOf(route) === this.chosen);
    if (gone) {
      this.lost = this.chosen!.split(' ')[0];
      this.chosen = undefined;
    }
    this.#changed();
  }
}

/** Best first. */
export function ranked(routes: readonly StreamedRoute[], isExactOutput: boolean): StreamedRoute[] {
  const better = (a: StreamedRoute, b: StreamedRoute) => {
    const gain = isExactOutput ? BigInt(b.quote.amountIn) - BigInt(a.quote.amountIn) : BigInt(a.quote.amountOut) - BigInt(b.quote.amountOut);
    return gain > 0n ? -1 : gain < 0n ? 1 : a.quote.expectedDurationSeconds - b.quote.expectedDurationSeconds;
  };
  return [...routes].sort(better);
}
