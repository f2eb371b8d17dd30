import type { CallOptions, Client } from '../client.js';
import type { Order } from '../generated/types.js';
import { getOrders } from './get-orders.js';

/** One order of this author; `null` where the author has no such order. */
export async function getOrderOf(
  client: Client,
  author: string,
  orderId: string,
  options?: CallOptions,
): Promise<Order | null> {
  const page = await getOrders(client, author, { orderIds: [orderId] }, options);
  return page.data.find(({ id }) => id === orderId) ?? null;
}
