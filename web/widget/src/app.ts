import {
  createClient, getFiatOrdersByAddress, getFiatProviders, getOrders, isTerminal, type Client, type ExecuteOptions, type FiatOrder, type FiatProvider,
  type Order, type Wallet,
} from '@causeway/sdk';
import { html } from 'lit-html';
import { isLocal } from '../../sdk/src/execute/contracts.js';
import { formatUnits, parseUnits } from './amounts.js';
import { askOf, fiatAskOf, obstacleOf } from './asks.js';
import { loadChunk, scriptUrl } from './chunks.js';
import { eventOf } from './errors.js';
import { Catalog, type KnownToken, type Sentence } from './flows/catalog.js';
import { FiatQuotes } from './flows/fiat-quotes.js';
import { OrderTracker, submitKept } from './flows/orders.js';
import { Purchase } from './flows/purchase.js';
import { methodsOfRoute, Quotes } from './flows/quotes.js';
import { Swap } from './flows/swap.js';
import { forgetTerms, keptTerms, takeBack } from './flows/take-back.js';
import { Transfer, transferOf } from './flows/transfer.js';
import { say, type Key, type Locale, type Words } from './i18n.js';
import type { Liquidity } from './liquidity/liquidity.js';
import { chainsOf, methodsOf } from './options.js';
import type { Method, WalletChainLike, WidgetEvents, WidgetOptions } from './public.js';
import { Place } from './place.js';
import { notice } from './views/parts.js';
import { withShortAddresses } from './views/review.js';
import type { Family } from './wallets/account.js';
import { Wallets } from './wallets/wallets.js';

export type View = 'form' | 'picker' | 'wallets' | 'settings' | 'history' | 'review' | 'order' | 'transfer' | 'purchase';
export type Side = 'from' | 'to';
export type Fire = <K extends keyof WidgetEvents>(name: K, detail: WidgetEvents[K]) => void;

/** Everything that one widget knows, and what can be done with it. Views read it and call its methods. */
export class App {
  view: View = 'form';
  method: Method;
  /** Whether chains and tokens are there; why not, where they are not. */
  isReady = false;
  loadError: unknown;
  from: KnownToken | undefined;
  to: KnownToken | undefined;
  /** As typed, of the side that `isExactOutput` fixes. */
  amount: string;
  isExactOutput: boolean;
  recipient: string;
  refundTo: string;
  slippage: number | undefined;
  /** Prefers a signature, whose gas the service pays, over a transaction. */
  isGasless = false;
  fiatCurrency: string;
  fiatAmount: string;
  providers: FiatProvider[] = [];
  pickerSide: Side = 'from';
  walletFamily: Family = 'eip155';
  walletError: unknown;
  history: { orders: Order[]; purchases: FiatOrder[] } | undefined;
  historyError: unknown;
  swap: Swap | undefined;
  transfer: Transfer | undefined;
  purchase: Purchase | undefined;
  /** What liquidity providers settle, where the host trusts any. */
  liquidity: Liquidity | undefined;
  locale: Locale = 'en';
  words: Words;
  readonly options: WidgetOptions;
  readonly client: Client;
  readonly catalog: Catalog;
  readonly quotes: Quotes;
  readonly fiatQuotes: FiatQuotes;
  readonly tracker: OrderTracker;
  readonly wallets: Wallets;
  readonly place: Place;
  readonly changed: () => void;
  readonly #fire: Fire;
  #announced = '';

  constructor(options: WidgetOptions, words: Words, place: Place, changed: () => void, fire: Fire) {
    this.options = options;
    this.words = words;
    this.place = place;
    this.changed = changed;
    this.#fire = fire;
    this.method = methodsOf(options.methods)[0]!;
    this.amount = options.amount ?? '';
    this.isExactOutput = options.tradeType === 'EXACT_OUTPUT';
    this.recipient = options.recipient ?? '';
    this.refundTo = options.refundTo ?? '';
    this.slippage = options.slippageTolerance;
    this.fiatCurrency = options.fiatCurrency ?? 'USD';
    this.fiatAmount = options.fiatAmount ?? '100';
    this.client = createClient({
      baseUrl: options.apiEndpoint ?? new URL(scriptUrl ?? location.href).origin,
      fiatBaseUrl: options.fiatApiEndpoint, embedUrl: options.embedUrl, qrCodeApiUrl: options.qrCodeApiUrl, headers: options.headers,
    });
    this.catalog = new Catalog(this.client, chainsOf(options.chains));
    this.quotes = new Quotes(this.client, () => this.#priced(), ({ quoteId, routeId, quote: { amountIn, amountOut } }) => fire('quote', { quoteId, routeId, amountIn, amountOut }));
    this.fiatQuotes = new FiatQuotes(this.client, changed);
    this.tracker = new OrderTracker(this.client, changed, (order) => this.#moved(order));
    this.wallets = new Wallets(changed, ({ family, address, wallet }) => {
      fire('wallet-connected', { family, address });
      void this.#refreshBalances(family, address);
      if (this.view === 'form') this.#submitKept(wallet);
      this.update();
    });
  }

  say = (key: Key, values?: Readonly<Record<string, string | number>>): string => say(this.words, key, values);

  get methods(): readonly Method[] {
    return methodsOf(this.options.methods);
  }

  /** Fetches what the form needs, and goes on where an earlier visit stopped. */
  async start(): Promise<void> {
    try {
      this.wallets.start(this.options.wallets);
    } catch (error) {
      // A wallet of a kind that nobody knows is the host's mistake, and prices can be shown without it.
      this.#fire('error', eventOf(error));
    }
    this.#resume();
    await this.#load();
    if (this.methods.includes('buy')) {
      this.providers = await getFiatProviders(this.client).catch(() => []);
      this.changed();
    }
  }

  /** Chains and tokens; a service that cannot be reached is asked again. */
  async #load(): Promise<void> {
    try {
      this.loadError = undefined;
      if (this.options.trustedProviders) await this.#loadLiquidity();
      await this.catalog.load(this.liquidity?.hasPayees === true);
      await this.#chooseTokens();
      this.isReady = true;
      if (this.tracker.order) void this.#reopenTransfer(this.tracker.order);
      if (this.catalog.isSandbox && this.options.wallets === undefined) this.#addTestWallets();
      this.update();
    } catch (error) {
      this.loadError = error;
      this.#fire('error', eventOf(error));
      this.changed();
      await new Promise((resolve) => setTimeout(resolve, 5000));
      if (!this.#isStopped) await this.#load();
    }
    this.changed();
  }

  /** Without it there are only routes of the escrow. */
  async #loadLiquidity(): Promise<void> {
    try {
      const { Liquidity } = await loadChunk<typeof import('./liquidity/liquidity.js')>('providers');
      this.liquidity ??= new Liquidity(this, { html, say, notice, withShortAddresses });
      this.changed();
    } catch (error) {
      this.#fire('error', eventOf(error));
    }
  }

  /** Whether a token of the chain can be chosen now: where swaps only begin, it is paid by a transfer, and nothing is received. */
  offers(chainId: number, side = this.pickerSide): boolean {
    return this.catalog.chains.has(chainId) && (!this.catalog.isSource(chainId) || (side === 'from' && this.method === 'transfer'));
  }

  /** Whether the form goes to its review by itself. */
  #isHasty = false;
  async useTestWallet(review: boolean): Promise<void> {
    while (!this.isReady && !this.#isStopped) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const choice of this.wallets.choices) if (choice.id.startsWith('test:')) await this.wallets.connect(choice);
    this.#isHasty = review;
    this.#priced();
  }

  #priced(): void {
    if (this.#isHasty && this.view === 'form' && !this.quotes.isLoading && !obstacleOf(this)) {
      this.#isHasty = false;
      this.review();
    }
    this.changed();
  }

  #isStopped = false;
  stop(): void {
    this.#isStopped = true;
    this.quotes.stop();
    this.fiatQuotes.stop();
    this.tracker.stop();
    this.wallets.stop();
    this.transfer?.stop();
    this.purchase?.stop();
    if (this.swap?.phase === 'review') this.swap.cancel();
  }

  show(view: View): void {
    this.view = view;
    this.changed();
  }

  choose(method: Method): void {
    this.method = method;
    this.view = 'form';
    if (method !== 'transfer' && this.catalog.isSource(this.from?.chainId)) this.from = this.#usualFrom();
    this.update();
  }

  /** Asks for what the form says now. */
  update(): void {
    const isForm = this.isReady && ['form', 'picker', 'wallets', 'settings', 'history'].includes(this.view);
    this.quotes.want(isForm && this.method !== 'buy' ? askOf(this) : undefined);
    this.fiatQuotes.want(isForm && this.method === 'buy' ? fiatAskOf(this) : undefined);
    this.changed();
  }

  /** The account that pays, and the one of the token that is received. */
  get payer() {
    return this.from && this.wallets.accounts.get(this.catalog.familyOf(this.from.chainId) as Family);
  }
  get receiver() {
    return this.to && this.wallets.accounts.get(this.catalog.familyOf(this.to.chainId) as Family);
  }

  setAmount(text: string, isExactOutput: boolean): void {
    this.amount = text;
    this.isExactOutput = isExactOutput;
    this.update();
  }

  /** All that the payer has; a coin that also pays gas keeps a little. */
  setMost(): void {
    const balance = this.from && this.catalog.balanceOf(this.from);
    if (!this.from || balance === undefined) return;
    const isCoin = /^(0x0{40}|1{32})$/.test(this.from.address);
    const kept = isCoin ? balance / 200n : 0n;
    this.setAmount(formatUnits(balance - kept, this.from.decimals), false);
  }

  setToken(side: Side, token: KnownToken): void {
    const other: Side = side === 'from' ? 'to' : 'from';
    const same = this[other];
    if (same && same.chainId === token.chainId && same.address === token.address) this[other] = this.#usual([this[side]])[0];
    this[side] = token;
    this.view = 'form';
    this.update();
  }

  flip(): void {
    if (this.catalog.isSource(this.from?.chainId)) return;
    [this.from, this.to] = [this.to, this.from];
    this.isExactOutput = !this.isExactOutput && this.amount !== '';
    this.recipient = '';
    this.update();
  }

  /** What a sentence means: amount, token and target at once. */
  applySentence({ token, fromToken, toToken, amount }: Sentence): void {
    const isExactOutput = Boolean(fromToken) && !toToken;
    this.from = (isExactOutput ? fromToken : token) ?? this.from;
    this.to = (isExactOutput ? token : toToken) ?? this.to;
    this.view = 'form';
    this.setAmount(formatUnits(amount, token.decimals), isExactOutput);
  }

  /** The typed amount in raw units of its token. */
  get raw(): bigint | undefined {
    const token = this.isExactOutput ? this.to : this.from;
    return token && parseUnits(this.amount, token.decimals);
  }

  review(): void {
    const { ask, route } = this.quotes;
    const account = this.payer;
    if (!ask || !route || !account) return;
    const ways = (['PERMIT2', 'CONTRACT_CALL'] as const).filter((way) => methodsOfRoute(route).includes(way));
    const way = (this.isGasless ? ways[0] : ways.at(-1)) ?? 'CONTRACT_CALL';
    this.quotes.stop();
    this.swap = new Swap(this.client, ask, route, account, { depositMethod: way, escrows: this.options.escrows, trustedProviders: this.liquidity?.contractsOf(route), chains: this.#walletChains }, {
      submitted: (orderId, txHash) => {
        this.#fire('deposit-submitted', { orderId, txHash });
        this.openOrder(orderId);
      },
      canceled: () => this.#fire('cancel', { kind: 'swap' }),
      failed: (error) => this.#fire('error', eventOf(error)),
      changed: this.changed,
    });
    this.show('review');
  }

  /** Back to the form with a fresh price. */
  leaveReview(): void {
    this.swap?.cancel();
    this.swap = undefined;
    this.view = 'form';
    this.quotes.clear();
    this.update();
  }

  startTransfer(): void {
    const { ask, route } = this.quotes;
    if (!ask || !route) return;
    this.quotes.stop();
    this.transfer = new Transfer(this.client, ask, route, this.options.escrows, {
      built: (orderId) => {
        this.tracker.follow(orderId);
        this.place.put('order', orderId);
      },
      failed: (error) => this.#fire('error', eventOf(error)),
      changed: this.changed,
    }, this.liquidity);
    this.show('transfer');
  }

  /** An order that still waits for its transfer shows the address again, after a reload and on another device. */
  async #reopenTransfer(order: Order): Promise<void> {
    const isWaiting = this.isReady && this.view === 'order' && !this.transfer && order.status === 'created' && !order.depositTxHash;
    const kept = isWaiting ? transferOf(order) : undefined;
    if (!kept) return;
    const { ask, route } = kept;
    const tokens = [{ chainId: ask.fromChainId, address: ask.fromToken }, { chainId: ask.toChainId, address: ask.toToken }];
    const [from, to] = await Promise.all(tokens.map((token) => this.catalog.resolve(token).catch(() => undefined)));
    if (!from || !to || this.view !== 'order' || this.transfer) return;
    this.transfer = new Transfer(this.client, ask, route, this.options.escrows, {
      built: () => {
        Object.assign(this, { from, to, method: 'transfer', view: 'transfer' });
        this.changed();
      },
      // Its deposit is no transfer: the order itself is all that there is to see.
      failed: () => { this.transfer = undefined; },
      changed: this.changed,
    }, this.liquidity);
  }

  startPurchase(frame: () => Promise<HTMLElement>): void {
    const { quote, routeId } = this.fiatQuotes;
    const author = this.recipient || this.receiver?.address;
    if (!quote || !author) return;
    this.fiatQuotes.stop();
    this.purchase = this.#newPurchase();
    const chosen = quote.routes?.find((route) => route.routeId === routeId) ?? quote.routes?.[0];
    this.purchase.start(quote, chosen?.routeId, author, this.options.checkout ?? 'popup', frame);
    this.show('purchase');
  }

  #newPurchase(): Purchase {
    return new Purchase(this.client, {
      created: (orderId) => this.place.put('purchase', orderId),
      moved: (orderId, { status, fillTxHash }) => {
        this.#fire('status', { kind: 'buy', orderId, status });
        if (status === 'completed') this.#fire('success', { kind: 'buy', orderId, txHash: fillTxHash ?? undefined });
      },
      canceled: (orderId) => this.#fire('cancel', { kind: 'buy', orderId }),
      failed: (error) => this.#fire('error', eventOf(error)),
      changed: this.changed,
    });
  }

  /** Takes a deposit back that nobody has delivered for in time. */
  async takeBack(order: Order): Promise<void> {
    const terms = keptTerms(order.id);
    const account = this.wallets.accounts.get(this.catalog.familyOf(order.fromChainId ?? (terms && Number(terms.originChainId))) as Family);
    if (!terms || !account) return this.show('wallets');
    this.walletError = undefined;
    await takeBack(terms, account).catch((error: unknown) => { this.walletError = error; });
    this.changed();
  }

  openOrder(orderId: string): void {
    this.swap = undefined;
    this.place.put('order', orderId);
    this.tracker.follow(orderId);
    this.show('order');
  }

  openPurchase(orderId: string): void {
    this.purchase = this.#newPurchase();
    this.place.put('purchase', orderId);
    this.purchase.resume(orderId);
    this.show('purchase');
  }

  /** Leaves whatever is shown for an empty form. */
  startOver(keepAmount = false): void {
    this.tracker.stop();
    this.transfer?.stop();
    this.purchase?.stop();
    Object.assign(this, { swap: undefined, transfer: undefined, purchase: undefined, view: 'form' });
    if (!keepAmount && this.method !== 'buy') this.amount = '';
    this.place.clear();
    this.quotes.clear();
    this.fiatQuotes.want(undefined);
    for (const { family, address } of this.wallets.accounts.values()) void this.#refreshBalances(family, address);
    this.update();
  }

  async showHistory(): Promise<void> {
    this.history = undefined;
    this.historyError = undefined;
    this.show('history');
    try {
      const addresses = [...this.wallets.accounts.values()].map(({ address }) => address);
      const [orders, purchases] = await Promise.all([
        Promise.all(addresses.map((address) => getOrders(this.client, address, { limit: 20 }))),
        Promise.all(addresses.map((address) => getFiatOrdersByAddress(this.client, address, { limit: 20 }).catch(() => ({ data: [] })))),
      ]);
      const byTime = (a: { createdAt?: string | undefined }, b: { createdAt?: string | undefined }) => (b.createdAt ?? '').localeCompare(a.createdAt ?? '');
      this.history = { orders: orders.flatMap(({ data }) => data).sort(byTime), purchases: purchases.flatMap(({ data }) => data).sort(byTime) };
    } catch (error) {
      this.historyError = error;
    }
    this.changed();
  }

  async connect(id: string): Promise<void> {
    const choice = this.wallets.choices.find((one) => one.id === id);
    if (!choice) return;
    this.walletError = undefined;
    try {
      const account = await this.wallets.connect(choice);
      if (account) this.view = 'form';
    } catch (error) {
      this.walletError = error;
    }
    this.update();
  }

  /** The networks that a wallet may add: the host's; else, where the service is a sandbox on this machine, the sandbox's. */
  get #walletChains(): ExecuteOptions['chains'] {
    const { walletChains } = this.options;
    if (walletChains || !this.catalog.isSandbox || !isLocal(this.client.baseUrl)) return walletChains;
    const described = [...this.catalog.chains.values()].flatMap(({ id, name, nativeCurrency }) => {
      const [url, { name: coin, symbol, decimals }] = [this.#rpcOf(id), nativeCurrency ?? {}];
      return url && name && coin && symbol && decimals !== undefined
        ? [[id, { chainName: name, rpcUrls: [url], nativeCurrency: { name: coin, symbol, decimals } }] as [number, WalletChainLike]] : [];
    });
    return Object.fromEntries(described);
  }

  /** The sandbox's chains are where the API is, whatever name it has there. */
  #rpcOf = (chainId: number): string | undefined =>
    this.catalog.chains.get(chainId)?.rpcUrls?.default?.http?.[0]?.replace(/^https?:\/\/[^/]+(?=\/sandbox\/)/, this.client.baseUrl);

  #addTestWallets(): void {
    const first = [...this.catalog.chains.values()].find(({ id }) => this.catalog.familyOf(id) === 'eip155');
    this.wallets.addTestWallets(this.#rpcOf, first?.id ?? 1);
  }

  async #refreshBalances(family: Family, address: string): Promise<void> {
    await this.catalog.loadBalances(family, address).catch(() => this.catalog.forgetBalances(family));
    this.changed();
  }

  async #chooseTokens(): Promise<void> {
    const wanted = async (input: WidgetOptions['fromToken']) => (input ? this.catalog.resolve(input).catch((error: unknown) => void this.#fire('error', eventOf(error))) : undefined);
    const [from, to] = await Promise.all([wanted(this.options.fromToken), wanted(this.options.toToken)]);
    // Where swaps only begin, they begin with a transfer.
    if (this.catalog.isSource(from?.chainId) && this.methods.includes('transfer')) this.method = 'transfer';
    const top = this.#usual(this.catalog.top);
    this.from ??= (this.method === 'transfer' ? from : this.#usual([from])[0]) ?? this.#usualFrom();
    const isOther = (token: KnownToken) => token !== this.from && token.chainId !== this.from?.chainId;
    this.to ??= this.#usual([to])[0] ?? top.find((token) => isOther(token) && token.symbol === 'ETH' && token.chainId === 42161) ?? top.find(isOther) ?? top[1];
  }

  #usualFrom(): KnownToken | undefined {
    const top = this.#usual(this.catalog.top);
    return top.find(({ symbol, chainId }) => symbol === 'USDC' && chainId === 8453) ?? top[0];
  }

  /** Those that can be paid by a wallet, and received. */
  #usual(tokens: readonly (KnownToken | undefined)[]): KnownToken[] {
    return tokens.filter((token) => token !== undefined && !this.catalog.isSource(token.chainId)) as KnownToken[];
  }

  #resume(): void {
    const { orderId } = this.options;
    const order = orderId ?? this.place.get('order');
    const purchase = this.place.get('purchase');
    if (order) this.openOrder(order);
    else if (purchase) this.openPurchase(purchase);
    else this.#submitKept();
  }

  #submitKept(wallet?: Wallet): void {
    void submitKept(this.client, wallet).then((id) => id && this.openOrder(id)).catch(() => {});
  }

  #moved(order: Order): void {
    const kind = this.transfer ? 'transfer' : 'swap';
    if (order.settlement && !this.liquidity) void this.#loadLiquidity();
    void this.#reopenTransfer(order);
    if (isTerminal(order.status)) forgetTerms(order.id);
    const news = `${order.id} ${order.status}`;
    if (news === this.#announced) return;
    this.#announced = news;
    this.#fire('status', { kind, orderId: order.id, status: order.status });
    if (order.status === 'filled') this.#fire('success', { kind, orderId: order.id, txHash: order.transactions?.fill?.txHash });
  }
}
