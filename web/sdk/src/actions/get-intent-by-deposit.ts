import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Intent } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Returns the intent that a deposit transaction belongs to. */
export function getIntentByDeposit(client: Client, deposit: { chainId: number; txHash: string }, options?: CallOptions): Promise<Intent> {
  return json(client, { url: url(client.baseUrl, ['v1', 'intent', 'deposit'], { chainId: deposit.chainId, txHash: deposit.txHash }) }, shapes.Intent, options);
}
