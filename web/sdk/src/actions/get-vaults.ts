import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Vault } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Returns the hub's vaults. */
export function getVaults(client: Client, options?: CallOptions): Promise<Vault[]> {
  return json(client, { url: url(client.baseUrl, ['v1', 'vaults']) }, [shapes.Vault], options);
}
