import { buildDeposit } from '../actions/build-deposit.js';
import { getQuote } from '../actions/get-quote.js';
import { submitDeposit } from '../actions/submit-deposit.js';
import { trackOrder, type TrackOptions } from '../actions/track-order.js';
import type { Client } from '../client.js';
import { isTransient, ServiceError } from '../errors.js';
import type { BuildAnswer, Order, QuoteAnswer, QuoteAsk, Route, SubmitAnswer, SubmitAsk } from '../generated/types.js';
import { pace } from '../pace.js';
import type { Wallet } from '../wallets/wallet.js';
import { pause } from '../within.js';
import type { Bound, Limit } from './bound.js';
import type { DepositWay } from './check-deposit.js';
import type { Escrows } from './contracts.js';
import type { WalletChains } from './wallet-request.js';

/** What `executeSwap` has just done; keep what a crash must not lose. */
export type Step =
  /** The bound that holds for every route, and where it comes from; absent where only `confirm` decides. */
  | { type: 'bounded'; limit: Limit }
  | { type: 'quoted'; quote: QuoteAnswer }
  | { type: 'chosen'; route: Route }
  /** Nothing is signed yet; the answer holds what will be, in words and as terms. */
  | { type: 'built'; deposit: BuildAnswer }
  /** A transaction is on its way to the source chain; with `deposit`, the money is. */
  | { type: 'sent'; txHash: string; deposit: boolean }
  /** The order can be followed by its id from now on. */
  | { type: 'submitted'; order: SubmitAnswer }
  /** The order has another status. */
  | { type: 'status'; order: Order };

/**
 * How `executeSwap` is to go about it. A bound is needed: `minAmountOut` (exact input) or `maxAmountIn` (exact output), a `price` that
 * does not come from the service, or `confirm`.
 */
export interface ExecuteOptions extends TrackOptions, Bound {
  depositMethod?: DepositWay | undefined;
  /** Takes the best route that this likes, and none if it likes none. */
  accept?: ((route: Route) => boolean) | undefined;
  /** Asks somebody whether exactly this route is wanted; nothing is signed without a yes. */
  confirm?: ((route: Route) => boolean | Promise<boolean>) | undefined;
  /**
   * The escrow of each source chain that money may go to, and no other. Without it the published deployments are trusted, and the
   * sandbox's where the service runs on this machine.
   */
  escrows?: Escrows | undefined;
  /** The chains that a wallet may add, with the caller's own endpoints. */
  chains?: WalletChains | undefined;
  onStep?: ((step: Step) => void) | undefined;
}

/**
 * A whole swap: quote, choose, build, sign in order, submit, and follow the order until it is filled.
 *
 * An order that ends otherwise is `SVC3008`, with the order in its details. Before anything is signed the route and the
 * deposit are held against the request, down to the bytes of each transaction and permit. An abort never takes back a transaction
 * that was sent: it moves its order whether or not anybody waits, and `onStep` was told its hash.
 */
export async function executeSwap(client: Client, ask: QuoteAsk, wallet: Wallet, options: ExecuteOptions): Promise<Order> {
  const { depositMethod: way = 'CONTRACT_CALL', onStep = () => {}, signal } = options;
  // What looks at every byte is loaded when a swap begins: who only asks does not carry it.
  const { checkPayer, checkRoute, deposit, limitOf, planDeposit, trustedEscrow, unbounded } = await import('./carry-out.js');
  const limit = await limitOf(ask, options);
  if (!limit && !options.confirm) throw unbounded(ask);
  if (limit) onStep({ type: 'bounded', limit });
  await checkPayer(wallet, ask.fromAddress);
  const quote = await getQuote(client, { ...ask, depositMethods: [way] }, options);
  onStep({ type: 'quoted', quote });
  const route = await choose(quote.routes, way, limit, options);
  onStep({ type: 'chosen', route });
  checkRoute(ask, route.quote);
  const { recipient, refundTo, fromAddress: from } = ask;
  const names = { quoteId: quote.quoteId, routeId: route.routeId };
  const built = await buildDeposit(client, { ...names, from, recipient, refundTo, depositMethod: way }, options);
  const escrow = trustedEscrow(client.baseUrl, ask.fromChainId, options.escrows);
  const plan = planDeposit(ask, route.quote, way, built, escrow);
  onStep({ type: 'built', deposit: built });
  const proof = await deposit(wallet, from, plan, options.chains, signal, (sent) => onStep({ type: 'sent', ...sent }));
  const submitted = await submitForGood(client, { ...names, ...proof }, options);
  onStep({ type: 'submitted', order: submitted });
  const onStatus = (order: Order) => {
    onStep({ type: 'status', order });
    options.onStatus?.(order);
  };
  const order = await trackOrder(client, submitted.orderId, { ...options, onStatus });
  if (order.status === 'filled') return order;
  const reason = order.failureReason ?? 'The service gives no reason.';
  throw new ServiceError(`The order was ${order.status}: ${reason}`, 'SVC3008', { order });
}

/** The first route that can be deposited for this way, is liked, and is within the bound; one that is not confirmed ends the swap. */
async function choose(routes: Route[], way: DepositWay, limit: Limit | undefined, options: ExecuteOptions): Promise<Route> {
  const { beyond, noRoute } = await import('./carry-out.js');
  const { accept = () => true, confirm = () => true } = options;
  let problem: string | undefined;
  for (const route of routes) {
    const { depositMethods = ['CONTRACT_CALL'] } = route;
    if (!depositMethods.includes(way) || !accept(route)) continue;
    const bad = limit && beyond(limit, route.quote);
    problem ??= bad;
    if (bad) continue;
    if (await confirm(route)) return route;
    throw noRoute();
  }
  throw noRoute(problem);
}

/** The money is on its way, and telling twice does no harm: what may pass is waited out. */
async function submitForGood(client: Client, ask: SubmitAsk, options: ExecuteOptions): Promise<SubmitAnswer> {
  for (;;) {
    try {
      return await submitDeposit(client, ask, options);
    } catch (error) {
      if (!isTransient(error)) throw error;
      await pause(pace(options).after(error), options.signal);
    }
  }
}
