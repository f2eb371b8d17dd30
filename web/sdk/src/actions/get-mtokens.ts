import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Token } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';
import type { ChainScope } from './get-tokens.js';

/** Returns the share tokens of the hub's vaults. */
export function getMTokens(client: Client, query: ChainScope = {}, options?: CallOptions): Promise<Token[]> {
  return json(client, { url: url(client.baseUrl, ['v1', 'mtokens'], { chainIds: query.chainIds }) }, [shapes.Token], options);
}
