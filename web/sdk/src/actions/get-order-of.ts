import type { CallOptions, Client } from '../client.js';
import type { Order } from '../generated/types.js';
import { getOrders } from './get-orders.js';

/** Returns an order of this author, or `null` if the author has no order with this id. */
export async function getOrderOf(
  client: Client,
  author: string,
  orderId: string,
  options?: CallOptions,
): Promise<Order | null> {
  const page = await getOrders(client, author, { orderIds: [orderId] }, options);
  return page.data.find(({ id }) => id === orderId) ?? null;
}
