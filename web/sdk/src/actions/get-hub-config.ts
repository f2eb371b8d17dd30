import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { HubConfig } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Returns the addresses of the hub's contracts. */
export function getHubConfig(client: Client, options?: CallOptions): Promise<HubConfig> {
  return json(client, { url: url(client.baseUrl, ['v1', 'config', 'hub']) }, shapes.HubConfig, options);
}
