import { checkDecimals } from '../check-decimals.js';
import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Data_Token, Token } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';
import type { ChainScope } from './get-tokens.js';

/** Searches tokens by name, symbol or address. Tolerates typos; the best match comes first. */
export async function searchTokens(
  client: Client,
  query: ChainScope & { q: string },
  options?: CallOptions,
): Promise<Token[]> {
  const { q, chainIds } = query;
  const request = { url: url(client.baseUrl, ['v1', 'tokens', 'search'], { q, chainIds }) };
  const { data } = await json<Data_Token>(client, request, shapes.Data_Token, options);
  return checkDecimals(data, data);
}
