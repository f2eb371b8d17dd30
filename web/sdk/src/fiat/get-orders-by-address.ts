import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Page_FiatOrder } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Filters and pagination of {@link getFiatOrdersByAddress}. */
export interface FiatQuery {
  /** Only purchases with this status. */
  status?: string | undefined;
  /** Defaults to 20. At most 100. */
  limit?: number | undefined;
  /** The `cursor` of the previous page. */
  cursor?: number | null | undefined;
}

/** Returns a page of the purchases of a wallet address, newest first. */
export function getFiatOrdersByAddress(
  client: Client,
  address: string,
  query: FiatQuery = {},
  options?: CallOptions,
): Promise<Page_FiatOrder> {
  const { status, limit, cursor } = query;
  const url = fiatUrl(client, ['orders', 'by-address', address], { status, limit, cursor });
  return json(client, { url }, shapes.Page_FiatOrder, options);
}
