import type { Client, KeyedCallOptions } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { BuildAnswer, BuildAsk } from '../generated/types.js';
import { jsonOnce } from '../request.js';
import { url } from '../url.js';

/** Creates an order from a route and returns the actions that the payer's wallet has to take. */
export function buildDeposit(client: Client, ask: BuildAsk, options?: KeyedCallOptions): Promise<BuildAnswer> {
  return jsonOnce(client, { method: 'POST', url: url(client.baseUrl, ['v1', 'deposit', 'build']), body: ask }, shapes.BuildAnswer, options);
}
