import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Page_Order } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Which of an author's orders, and which page of them. */
export interface OrderQuery {
  /** Only these; all where none is named. */
  orderIds?: readonly string[] | undefined;
  /** 20 unless told, at most 100. */
  limit?: number | undefined;
  /** The `cursor` of the page before. */
  cursor?: number | null | undefined;
}

/** A page of an author's orders, newest first. */
export function getOrders(
  client: Client,
  author: string,
  query: OrderQuery = {},
  options?: CallOptions,
): Promise<Page_Order> {
  const { orderIds, limit, cursor } = query;
  return json(client, { url: url(client.baseUrl, ['v1', 'orders', author], { orderIds, limit, cursor }) }, shapes.Page_Order, options);
}
