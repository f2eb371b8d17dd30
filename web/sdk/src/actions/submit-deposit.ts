import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { SubmitAnswer, SubmitAsk } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Tells of a deposit that was made, or hands over one that was signed; the same again gives the same order. */
export function submitDeposit(client: Client, ask: SubmitAsk, options?: CallOptions): Promise<SubmitAnswer> {
  return json(client, { method: 'PUT', url: url(client.baseUrl, ['v1', 'deposit', 'submit']), body: ask }, shapes.SubmitAnswer, options);
}
