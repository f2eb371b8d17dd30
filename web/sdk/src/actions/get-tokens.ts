import { checkDecimals } from '../check-decimals.js';
import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Page_Token } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Only these chains; all where none is named. */
export interface ChainScope {
  chainIds?: readonly number[] | undefined;
}

/** Which tokens, and which page of them. */
export interface TokenQuery extends ChainScope {
  /** Part of a name or symbol, or an address. */
  q?: string | undefined;
  /** 20 unless told, at most 1000. */
  limit?: number | undefined;
  /** The `cursor` of the page before. */
  cursor?: number | null | undefined;
}

/** A page of the token catalog, well-known tokens first. */
export async function getTokens(
  client: Client,
  query: TokenQuery = {},
  options?: CallOptions,
): Promise<Page_Token> {
  const { q, chainIds, limit, cursor } = query;
  const ask = { url: url(client.baseUrl, ['v1', 'tokens'], { q, chainIds, limit, cursor }) };
  const page = await json<Page_Token>(client, ask, shapes.Page_Token, options);
  return checkDecimals(page, page.data);
}
