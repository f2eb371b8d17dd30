import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Chain } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Returns every supported chain, ordered by id. */
export function getChains(client: Client, options?: CallOptions): Promise<Chain[]> {
  return json(client, { url: url(client.baseUrl, ['v1', 'chains']) }, [shapes.Chain], options);
}
