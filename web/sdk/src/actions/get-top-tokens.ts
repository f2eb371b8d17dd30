import { checkDecimals } from '../check-decimals.js';
import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Token } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';
import type { ChainScope } from './get-tokens.js';

/** Returns the well-known tokens. */
export async function getTopTokens(client: Client, query: ChainScope = {}, options?: CallOptions): Promise<Token[]> {
  const request = { url: url(client.baseUrl, ['v1', 'tokens', 'top'], { chainIds: query.chainIds }) };
  const tokens = await json<Token[]>(client, request, [shapes.Token], options);
  return checkDecimals(tokens, tokens);
}
