import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Intent } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Returns an intent by its on-chain id. */
export function getIntent(client: Client, intentId: string, options?: CallOptions): Promise<Intent> {
  return json(client, { url: url(client.baseUrl, ['v1', 'intent', intentId]) }, shapes.Intent, options);
}
