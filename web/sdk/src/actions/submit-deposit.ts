import type { Client, KeyedCallOptions } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { SubmitAnswer, SubmitAsk } from '../generated/types.js';
import { jsonOnce } from '../request.js';
import { url } from '../url.js';

/** Reports a deposit that was sent, or submits one that was signed. Idempotent: submitting the same deposit again returns the same order. */
export function submitDeposit(client: Client, ask: SubmitAsk, options?: KeyedCallOptions): Promise<SubmitAnswer> {
  return jsonOnce(client, { method: 'PUT', url: url(client.baseUrl, ['v1', 'deposit', 'submit']), body: ask }, shapes.SubmitAnswer, options);
}
