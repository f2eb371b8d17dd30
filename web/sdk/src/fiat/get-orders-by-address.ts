import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Page_FiatOrder } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Which of a wallet's purchases, and which page of them. */
export interface FiatQuery {
  /** Only those with this status. */
  status?: string | undefined;
  /** 20 unless told, at most 100. */
  limit?: number | undefined;
  /** The `cursor` of the page before. */
  cursor?: number | null | undefined;
}

/** A page of a wallet's purchases, newest first. */
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
