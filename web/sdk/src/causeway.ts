import { autocomplete } from './actions/autocomplete.js';
import { buildDeposit } from './actions/build-deposit.js';
import { chainIconUrl, getChainIcon } from './actions/chain-icon.js';
import { getBalances } from './actions/get-balances.js';
import { getChains } from './actions/get-chains.js';
import { getFillers } from './actions/get-fillers.js';
import { getHubConfig } from './actions/get-hub-config.js';
import { getIntentByDeposit } from './actions/get-intent-by-deposit.js';
import { getIntent } from './actions/get-intent.js';
import { getIntents } from './actions/get-intents.js';
import { getMTokens } from './actions/get-mtokens.js';
import { getOrderOf } from './actions/get-order-of.js';
import { getOrder } from './actions/get-order.js';
import { getOrdersAt } from './actions/get-orders-at.js';
import { getOrders } from './actions/get-orders.js';
import { getQuote } from './actions/get-quote.js';
import { getStatus } from './actions/get-status.js';
import { getSuggestions } from './actions/get-suggestions.js';
import { getTokens } from './actions/get-tokens.js';
import { getTopTokens } from './actions/get-top-tokens.js';
import { getVaults } from './actions/get-vaults.js';
import { searchOrders } from './actions/search-orders.js';
import { searchTokens } from './actions/search-tokens.js';
import { streamOrderEvents } from './actions/stream-order-events.js';
import { streamQuotes } from './actions/stream-quotes.js';
import { submitDeposit } from './actions/submit-deposit.js';
import { trackOrder } from './actions/track-order.js';
import { createClient, type Client, type ClientOptions } from './client.js';
import { executeSwap } from './execute/execute-swap.js';
import { createFiatOrder } from './fiat/create-order.js';
import { getFiatConfig } from './fiat/get-config.js';
import { getFiatOrder } from './fiat/get-order.js';
import { getFiatOrdersByAddress } from './fiat/get-orders-by-address.js';
import { getFiatProviders } from './fiat/get-providers.js';
import { getFiatQuote } from './fiat/get-quote.js';
import { getFiatStatus } from './fiat/get-status.js';
import { embedCheckout, redirectToCheckout } from './fiat/manual-checkout.js';
import { startCheckout } from './fiat/start-checkout.js';
import { streamFiatQuotes } from './fiat/stream-quotes.js';
import { trackPurchase } from './fiat/track-purchase.js';
import { onWidgetEvent } from './fiat/widget-events.js';
import { depositQrCodeUrl, getQrCode, getTransferQrCode, qrCodeUrl, transferQrCodeUrl } from './qr.js';

const swap = {
  autocomplete, buildDeposit, chainIconUrl, depositQrCodeUrl, executeSwap, getBalances, getChainIcon, getChains, getFillers,
  getHubConfig, getIntent, getIntentByDeposit, getIntents, getMTokens, getOrder, getOrderOf, getOrders, getOrdersAt, getQrCode,
  getQuote, getStatus, getSuggestions, getTokens, getTopTokens, getTransferQrCode, getVaults, qrCodeUrl, searchOrders,
  searchTokens, streamOrderEvents, streamQuotes, submitDeposit, trackOrder, transferQrCodeUrl,
};

const fiat = {
  getProviders: getFiatProviders, getConfig: getFiatConfig, getQuote: getFiatQuote, streamQuotes: streamFiatQuotes,
  createOrder: createFiatOrder, getStatus: getFiatStatus, getOrder: getFiatOrder, getOrdersByAddress: getFiatOrdersByAddress,
  trackOrder: trackPurchase, startCheckout, embedCheckout, onWidgetEvent,
};

type Action = (client: Client, ...rest: any[]) => unknown;
type BoundActions<T> = { [K in keyof T]: T[K] extends (client: Client, ...rest: infer R) => infer A ? (...rest: R) => A : never };

/** Every action of the swap API as a method, and every action of the fiat API under `fiat`. */
export interface Causeway extends BoundActions<typeof swap> {
  /** The client, for actions that are called as functions. */
  readonly client: Client;
  readonly fiat: BoundActions<typeof fiat> & { redirectToCheckout: typeof redirectToCheckout };
}

/** Creates an object with all actions as methods. For smaller bundles, use `createClient` and import single actions. */
export function createCauseway(options: ClientOptions): Causeway {
  const client = createClient(options);
  return { ...bind(client, swap), client, fiat: { ...bind(client, fiat), redirectToCheckout } };
}

function bind<T extends Record<string, Action>>(client: Client, actions: T): BoundActions<T> {
  const bound = Object.entries(actions).map(([name, action]) => [name, (...rest: unknown[]) => action(client, ...rest)]);
  return Object.fromEntries(bound) as BoundActions<T>;
}
