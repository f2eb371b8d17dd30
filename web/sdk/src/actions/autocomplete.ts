import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Autocomplete } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';
import type { ChainScope } from './get-tokens.js';

/** Parses what a user has typed, such as `100 usdc on base`, and suggests completions. */
export function autocomplete(client: Client, keyword: string, query: ChainScope & { limit?: number | undefined } = {}, options?: CallOptions): Promise<Autocomplete> {
  return json(client, { url: url(client.baseUrl, ['v1', 'tokens', 'autocomplete', keyword], { chainIds: query.chainIds, limit: query.limit }) }, shapes.Autocomplete, options);
}
