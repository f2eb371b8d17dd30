import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Page_Order } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Which page of what was found. */
export interface OrderSearch {
  /** 20 by default, at most 100. */
  limit?: number | undefined;
  /** The `cursor` of the page before. */
  cursor?: number | null | undefined;
}

/** The orders that a transaction, an address or an id belongs to, newest first. */
export function searchOrders(client: Client, q: string, page: OrderSearch = {}, options?: CallOptions): Promise<Page_Order> {
  const { limit, cursor } = page;
  return json(client, { url: url(client.baseUrl, ['v1', 'orders', 'search'], { q, limit, cursor }) }, shapes.Page_Order, options);
}
