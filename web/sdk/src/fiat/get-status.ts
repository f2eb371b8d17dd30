import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatStatus } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Options of {@link getFiatStatus}. */
export interface FiatStatusOptions extends CallOptions {
  /** Refreshes the status from the provider first. For debugging. */
  force?: boolean | undefined;
}

/** Returns the status of a purchase. */
export function getFiatStatus(client: Client, orderId: string, options: FiatStatusOptions = {}): Promise<FiatStatus> {
  const url = fiatUrl(client, ['orders', orderId, 'status'], { force: options.force || undefined });
  return json(client, { url }, shapes.FiatStatus, options);
}

/** Whether a status of a purchase is final. */
export function isTerminalPurchase({ status, polling }: FiatStatus): boolean {
  return polling.isTerminal || ['completed', 'failed', 'canceled', 'expired'].includes(status);
}
