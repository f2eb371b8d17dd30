import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { BuildAnswer, BuildAsk } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Freezes a route and answers what a wallet has to do for it. */
export function buildDeposit(client: Client, ask: BuildAsk, options?: CallOptions): Promise<BuildAnswer> {
  return json(client, { method: 'POST', url: url(client.baseUrl, ['v1', 'deposit', 'build']), body: ask }, shapes.BuildAnswer, options);
}
