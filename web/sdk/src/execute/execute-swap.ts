import { buildDeposit } from '../actions/build-deposit.js';
import { getQuote } from '../actions/get-quote.js';
import { submitDeposit } from '../actions/submit-deposit.js';
import { trackOrder, type TrackOptions } from '../actions/track-order.js';
import type { Client } from '../client.js';
import { isTransient, ServiceError } from '../errors.js';
import type { BuildAnswer, Order, QuoteAnswer, QuoteAsk, Route, SubmitAnswer, SubmitAsk } from '../generated/types.js';
import { polling } from '../polling.js';
import type { Eip1193Provider, Wallet } from '../wallets/wallet.js';
import { sleep } from '../timeout.js';
import type { Batch } from './batch.js';
import type { DepositMethod } from './check-deposit.js';
import type { Escrows } from './contracts.js';
import type { Bound, Limit } from './price-bound.js';
import type { WalletChains } from './wallet-request.js';
import type { AcceptWarnings } from './warnings.js';

/** A completed step of `executeSwap`. Persist the batch, the transaction hash and the order id, to recover from a crash. */
export type Step =
  /** The bound was determined. Skipped if only `confirm` decides. */
  | { type: 'bounded'; limit: Limit }
  /** The quote arrived. */
  | { type: 'quoted'; quote: QuoteAnswer }
  /** A route was selected. */
  | { type: 'chosen'; route: Route }
  /** The deposit was built and verified. Nothing is signed yet. */
  | { type: 'built'; deposit: BuildAnswer }
  /** The wallet took the approvals and the deposit as one batch (EIP-5792); `sent` follows once it is mined. */
  | { type: 'batched' } & Batch
  /** The wallet sent a transaction on the source chain. `deposit` is true for the deposit itself. */
  | { type: 'sent'; txHash: string; deposit: boolean }
  /** The order exists and can be tracked by its id. */
  | { type: 'submitted'; order: SubmitAnswer }
  /** The status of the order changed. */
  | { type: 'status'; order: Order };

/**
 * What the caller takes the service's word for, because nothing else says it. `recipient`: who receives the output, and who gets a refund,
 * where the call of a provider does not say it. `output`: how much of which token arrives, and what becomes of the input where nothing does.
 * `effects`: what the transaction does, where the wallet cannot simulate it.
 */
export type Unchecked = 'recipient' | 'output' | 'effects';

/**
 * A contract or program of a liquidity provider that may get the input. Its calls are read, simulated by the wallet, and compared with the
 * request. Some do not say everything: a deposit at Relay names its order by a hash, and a call of LI.FI does not bound what a bridge
 * delivers. Such calls, and wallets that cannot simulate, are refused unless that is left `unchecked`.
 */
export interface TrustedProvider {
  contract: string;
  unchecked?: readonly Unchecked[] | undefined;
}

/** Contracts of liquidity providers that the caller trusts, by chain id; an address alone leaves nothing unchecked. */
export type TrustedProviders = Readonly<Record<number, readonly (string | TrustedProvider)[]>>;

/**
 * Options of {@link executeSwap}. A bound is required: `minAmountOut` (exact input) or `maxAmountIn` (exact output), a `price` that
 * does not come from the service, or `confirm`.
 */
export interface ExecuteOptions extends TrackOptions, Bound {
  /** Defaults to `CONTRACT_CALL`. */
  depositMethod?: DepositMethod | undefined;
  /** Filters routes. The best route for which it returns true is used. */
  accept?: ((route: Route) => boolean) | undefined;
  /** Confirms the selected route, for example with the user. Nothing is signed unless it returns true. */
  confirm?: ((route: Route) => boolean | Promise<boolean>) | undefined;
  /**
   * The severe warnings to accept, by code, or a function that decides about each. Others end the swap before anything is signed,
   * unless another route has none. A route's warnings are decided about after `confirm`, a deposit's before it is signed.
   */
  acceptWarnings?: AcceptWarnings | undefined;
  /**
   * The only escrows that deposits may go to, by source chain. Defaults to those of published deployments, and to the sandbox's if
   * the service runs on this machine.
   */
  escrows?: Escrows | undefined;
  /**
   * Contracts of liquidity providers that deposits may go to, by source chain. Routes that a provider settles are taken only with
   * them: the provider holds the money, and no escrow refunds it.
   */
  trustedProviders?: TrustedProviders | undefined;
  /**
   * Chains that the wallet may add, with the caller's own RPC endpoints. What a liquidity provider settles is simulated there where the wallet
   * itself cannot do that, as on Solana.
   */
  chains?: WalletChains | undefined;
  /** Called after each step. */
  onStep?: ((step: Step) => void) | undefined;
}

/**
 * Executes a swap: requests a quote, selects a route, builds the deposit, has the wallet sign, submits, and tracks the order until it
 * is filled.
 *
 * Rejects with `SVC3008` if the order ends without a fill; `details.order` is the order. Before anything is signed, the route and the
 * deposit are checked against the request, down to the bytes of each transaction and permit. An abort does not revoke a transaction
 * that was already sent: the order proceeds without the caller, and `onStep` has received the transaction hash.
 */
export async function executeSwap(client: Client, ask: QuoteAsk, wallet: Wallet, options: ExecuteOptions): Promise<Order> {
  const { depositMethod = 'CONTRACT_CALL', onStep = () => {}, signal } = options;
  // Loaded on demand, so that bundles without swaps do not include the checks.
  const { checkPayer, checkRoute, deposit, limitOf, missingBound, planDeposit, trustedEscrow } = await import('./checks.js');
  const limit = await limitOf(ask, options);
  if (!limit && !options.confirm) throw missingBound(ask);
  if (limit) onStep({ type: 'bounded', limit });
  await checkPayer(wallet, ask.fromAddress);
  const quote = await getQuote(client, { ...ask, depositMethods: [depositMethod] }, options);
  onStep({ type: 'quoted', quote });
  const route = await selectRoute(quote.routes, depositMethod, limit, options);
  onStep({ type: 'chosen', route });
  checkRoute(ask, route.quote);
  const { recipient, refundTo, fromAddress: from } = ask;
  const ids = { quoteId: quote.quoteId, routeId: route.routeId };
  const built = await buildDeposit(client, { ...ids, from, recipient, refundTo, depositMethod }, options);
  const escrow = trustedEscrow(client.baseUrl, ask.fromChainId, options.escrows);
  const plan = route.settlement
    ? await (await import('./provider.js')).planProvider(ask, route.quote, built, wallet, options.trustedProviders?.[ask.fromChainId], options.chains)
    : await planDeposit(ask, route.quote, depositMethod, built, escrow);
  const { warningError } = await import('./warnings.js');
  const severe = await warningError(built.warnings, options.acceptWarnings);
  if (severe) throw severe;
  onStep({ type: 'built', deposit: built });
  const proof = await deposit(plan.signer ?? wallet, from, plan, options.chains, signal, onStep);
  const submitted = await submitWithRetry(client, { ...ids, ...proof }, options);
  onStep({ type: 'submitted', order: submitted });
  const onStatus = (order: Order) => {
    onStep({ type: 'status', order });
    options.onStatus?.(order);
  };
  const order = await trackOrder(client, submitted.orderId, { ...options, onStatus });
  if (order.status === 'filled') return order;
  const reason = order.failureReason ?? 'The service gave no reason.';
  throw new ServiceError(`The order was ${order.status}: ${reason}`, 'SVC3008', { order });
}

/**
 * Waits until the wallet has executed a batch of an earlier `executeSwap`, and returns the transaction hash of the deposit for
 * `submitDeposit`. Rejects with `SVC3007` if the deposit was not executed or the wallet does not know the batch.
 */
export async function waitForBatch(wallet: Eip1193Provider, batch: Batch, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<string> {
  const { followBatch, wrapWalletError } = await import('./checks.js');
  return wrapWalletError(followBatch(wallet, batch, signal));
}

/** Returns the first route that supports the deposit method, is accepted and is within the bound. Throws if it is not confirmed. */
async function selectRoute(routes: Route[], method: DepositMethod, limit: Limit | undefined, options: ExecuteOptions): Promise<Route> {
  const { noAcceptableRoute, violation } = await import('./checks.js');
  const { warningError } = await import('./warnings.js');
  const { accept = () => true, confirm, acceptWarnings } = options;
  let problem: string | undefined;
  let severe: ServiceError | undefined;
  for (const route of routes) {
    const { depositMethods = ['CONTRACT_CALL'] } = route;
    if (!depositMethods.includes(method) || !accept(route)) continue;
    // A provider that settles itself holds the money, so its contracts must be trusted.
    const routeProblem = route.settlement && !options.trustedProviders ? 'no escrow' : limit && violation(limit, route.quote);
    problem ??= routeProblem;
    if (routeProblem) continue;
    if (confirm && !await confirm(route)) throw noAcceptableRoute();
    const refusal = await warningError(route.warnings, acceptWarnings);
    if (!refusal) return route;
    if (confirm) throw refusal;
    severe ??= refusal;
  }
  throw severe ?? noAcceptableRoute(problem);
}

/** Submits the deposit and retries on transient errors. The deposit may already be on chain, and submitting is idempotent. */
async function submitWithRetry(client: Client, ask: SubmitAsk, options: ExecuteOptions): Promise<SubmitAnswer> {
  for (;;) {
    try {
      return await submitDeposit(client, ask, options);
    } catch (error) {
      if (!isTransient(error)) throw error;
      await sleep(polling(options).delayAfter(error), options.signal);
    }
  }
}
