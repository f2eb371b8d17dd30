import { getFiatOrder, getFiatOrdersByAddress, getIntent, getIntentByDeposit, getOrder, getOrders, getOrdersAt, isTransient, type FiatOrder, type FiatOrderView, type Intent, type Order } from '@causeway/sdk';
import { catalog, client } from '../site.js';

/** What a text leads to. */
export type Found =
  | { kind: 'order'; order: Order }
  | { kind: 'purchase'; purchase: FiatOrderView }
  | { kind: 'list'; address: string; orders: Order[]; purchases: FiatOrder[] };

/** A refusal of the service means that there is no such thing; what may pass is an error. */
function none(error: unknown): undefined {
  if (isTransient(error)) throw error;
  return undefined;
}

/** An order or a purchase by its id, intent, deposit address or transaction; the orders of an address. */
export async function find(text: string, chainId: string | null): Promise<Found | undefined> {
  const isEvmAddress = /^0x[0-9a-f]{40}$/i.test(text);
  const isHash = /^0x[0-9a-f]{64}$/i.test(text);
  const isBase58 = /^[1-9A-HJ-NP-Za-km-z]{32,90}$/.test(text) && !/^[0-9a-f]{32}$/.test(text);
  // Who names a chain means a transaction.
  if (isHash) return (chainId ? undefined : await byIntent(text)) ?? byDeposit(text, chainId);
  if (isEvmAddress || (isBase58 && text.length <= 44)) return byAddress(text);
  if (isBase58) return byDeposit(text, chainId);
  const order = await getOrder(client, text).catch(none);
  if (order) return { kind: 'order', order };
  const purchase = await getFiatOrder(client, text).catch(none);
  return purchase && { kind: 'purchase', purchase };
}

async function byIntent(intentId: string): Promise<Found | undefined> {
  const intent = await getIntent(client, intentId).catch(none);
  return intent && orderOf(intent);
}

async function byDeposit(txHash: string, chainId: string | null): Promise<Found | undefined> {
  const isEvm = txHash.startsWith('0x');
  const ids = chainId ? [Number(chainId)] : [...catalog.chains.values()].filter(({ type }) => (type !== 'solana') === isEvm).map(({ id }) => id);
  const intents = await Promise.all(ids.map((id) => getIntentByDeposit(client, { chainId: id, txHash }).catch(none)));
  const intent = intents.find((one) => one !== undefined);
  return intent && orderOf(intent);
}

/** The order of an intent, among those of its author. */
async function orderOf({ author, intentId }: Intent): Promise<Found | undefined> {
  if (!author) return undefined;
  const { data } = await getOrders(client, author, { limit: 100 });
  const order = data.find((one) => one.intentId === intentId);
  return order && { kind: 'order', order };
}

/** An address belongs to a transfer, or to a person with orders. */
async function byAddress(address: string): Promise<Found | undefined> {
  const [at, orders, purchases] = await Promise.all([
    getOrdersAt(client, address).catch(none), getOrders(client, address, { limit: 50 }).catch(none), getFiatOrdersByAddress(client, address, { limit: 50 }).catch(none),
  ]);
  const [first] = at?.data ?? [];
  if (first) return { kind: 'order', order: await getOrder(client, first.orderId) };
  const [own, bought] = [orders?.data ?? [], purchases?.data ?? []];
  return own.length + bought.length > 0 ? { kind: 'list', address, orders: own, purchases: bought } : undefined;
}
