import { checkDecimals } from '../check-decimals.js';
import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Page_Token } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Restricts a query to some chains. */
export interface ChainScope {
  /** Defaults to all chains. */
  chainIds?: readonly number[] | undefined;
}

/** Filters and pagination of {@link getTokens}. */
export interface TokenQuery extends ChainScope {
  /** Matches part of a name or symbol, or an address. */
  q?: string | undefined;
  /** Defaults to 20. At most 1000. */
  limit?: number | undefined;
  /** The `cursor` of the previous page. */
  cursor?: number | null | undefined;
}

/** Returns a page of the token catalog, well-known tokens first. */
export async function getTokens(
  client: Client,
  query: TokenQuery = {},
  options?: CallOptions,
): Promise<Page_Token> {
  const { q, chainIds, limit, cursor } = query;
  const request = { url: url(client.baseUrl, ['v1', 'tokens'], { q, chainIds, limit, cursor }) };
  const page = await json<Page_Token>(client, request, shapes.Page_Token, options);
  return checkDecimals(page, page.data);
}
