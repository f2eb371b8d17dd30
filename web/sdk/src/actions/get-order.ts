import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Order } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Returns an order by its id. */
export function getOrder(client: Client, orderId: string, options?: CallOptions): Promise<Order> {
  return json(client, { url: url(client.baseUrl, ['v1', 'orders', 'by-id', orderId]) }, shapes.Order, options);
}
