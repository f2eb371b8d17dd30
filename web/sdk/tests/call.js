import * as sdk from '@causeway/sdk';

const CALLS = {
  quote: sdk.getQuote,
  buildDeposit: sdk.buildDeposit,
  submitDeposit: sdk.submitDeposit,
  order: sdk.getOrder,
  orderOf: sdk.getOrderOf,
  orders: (client, author, options) => sdk.getOrders(client, author, {}, options),
  intent: sdk.getIntent,
  intents: (client, author, options) => sdk.getIntents(client, author, {}, options),
  chains: sdk.getChains,
  chainIcon: sdk.getChainIcon,
  qrCode: (client, content, options) => sdk.getQrCode(client, content, undefined, options),
  transferQrCode: sdk.getTransferQrCode,
  balances: (client, address, options) => sdk.getBalances(client, address, {}, options),
  tokens: sdk.getTokens,
  ordersAt: sdk.getOrdersAt,
  searchOrders: (client, q, options) => sdk.searchOrders(client, q, {}, options),
  intentByDeposit: (client, chainId, txHash, options) => sdk.getIntentByDeposit(client, { chainId, txHash }, options),
  fiatProviders: sdk.getFiatProviders,
  fiatConfig: sdk.getFiatConfig,
  fiatQuote: sdk.getFiatQuote,
  createFiatOrder: sdk.createFiatOrder,
  fiatStatus: (client, orderId, force, options) => sdk.getFiatStatus(client, orderId, { force, ...options }),
  fiatOrder: sdk.getFiatOrder,
  fiatOrders: (client, address, options) => sdk.getFiatOrdersByAddress(client, address, {}, options),
};

const STREAMS = { streamQuotes: sdk.streamQuotes, streamFiatQuotes: sdk.streamFiatQuotes, orderEvents: sdk.streamOrderEvents };
const TRACKS = { trackOrder: sdk.trackOrder, trackPurchase: sdk.trackPurchase };

/** Makes a call of the case table. `onItem` receives the items of a stream, `statuses` collects those of tracking. */
export async function call(client, { operation, arguments: args, everyMs, retryAfterMs, idempotencyKey }, signal, onItem, statuses) {
  if (STREAMS[operation]) {
    for await (const item of STREAMS[operation](client, args[0], { signal })) onItem(item);
    return null;
  }
  if (TRACKS[operation]) {
    const onStatus = ({ status }) => statuses.push(status);
    return TRACKS[operation](client, args[0], { signal, interval: everyMs, retryDelay: retryAfterMs, onStatus });
  }
  const action = CALLS[operation];
  if (!action) throw new Error(`unknown operation in the case table: ${operation}`);
  return action(client, ...args, idempotencyKey === undefined ? { signal } : { signal, idempotencyKey });
}
