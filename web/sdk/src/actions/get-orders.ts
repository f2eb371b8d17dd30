import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Page_Order } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Filters and pagination of {@link getOrders}. */
export interface OrderQuery {
  /** Only orders with these ids. Defaults to all. */
  orderIds?: readonly string[] | undefined;
  /** Defaults to 20. At most 100. */
  limit?: number | undefined;
  /** The `cursor` of the previous page. */
  cursor?: number | null | undefined;
}

/** Returns a page of an author's orders, newest first. */
export function getOrders(
  client: Client,
  author: string,
  query: OrderQuery = {},
  options?: CallOptions,
): Promise<Page_Order> {
  const { orderIds, limit, cursor } = query;
  return json(client, { url: url(client.baseUrl, ['v1', 'orders', author], { orderIds, limit, cursor }) }, shapes.Page_Order, options);
}
