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
import type { DepositWay, Escrows } from './check-deposit.js';

/** What `executeSwap` has just done; keep what a crash must not lose. */
export type Step =
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

/** How `executeSwap` is to go about it. */
export interface ExecuteOptions extends TrackOptions {
  depositMethod?: DepositWay | undefined;
  /** Takes the best route that this likes, and none if it likes none. */
  accept?: ((route: Route) => boolean) | undefined;
  /** The escrow of each source chain that money may go to; without it the service is believed. */
  escrows?: Escrows | undefined;
  onStep?: ((step: Step) => void) | undefined;
}

/**
 * A whole swap: quote, choose, build, sign in order, submit, and follow the order until it is filled.
 *
 * An order that ends otherwise is `SVC3008`, with the order in its details. Before anything is signed the route and the
 * deposit are held against the request, down to the bytes of each transaction and permit. An abort never takes back a transaction that was sent: it moves its
 * order whether or not anybody waits, and `onStep` was told its hash.
 */
export async function executeSwap(client: Client, ask: QuoteAsk, wallet: Wallet, options: ExecuteOptions = {}): Promise<Order> {
  const { depositMethod: way = 'CONTRACT_CALL', accept = () => true, onStep = () => {}, signal } = options;
  // What looks at every byte is loaded when a swap begins: who only asks does not carry it.
  const { checkPayer, checkRoute, deposit, planDeposit } = await import('./carry-out.js');
  await checkPayer(wallet, ask.fromAddress);
  const quote = await getQuote(client, { ...ask, depositMethods: [way] }, options);
  onStep({ type: 'quoted', quote });
  const route = quote.routes.find((one) => one.depositMethods.includes(way) && accept(one));
  if (!route) throw new ServiceError('No route of the quote was acceptable.', 'SVC3004');
  onStep({ type: 'chosen', route });
  checkRoute(ask, route.quote);
  const { recipient, refundTo, fromAddress: from } = ask;
  const names = { quoteId: quote.quoteId, routeId: route.routeId };
  const built = await buildDeposit(client, { ...names, from, recipient, refundTo, depositMethod: way }, options);
  const plan = planDeposit(ask, route.quote, way, built, options.escrows);
  onStep({ type: 'built', deposit: built });
  const proof = await deposit(client, wallet, from, plan, built.terms, signal, (sent) => onStep({ type: 'sent', ...sent }));
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
