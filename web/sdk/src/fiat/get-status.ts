import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatStatus } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** How a status is asked for. */
export interface FiatStatusOptions extends CallOptions {
  /** Asks the provider first; for debugging. */
  force?: boolean | undefined;
}

/** How far a purchase has come. */
export function getFiatStatus(client: Client, orderId: string, options: FiatStatusOptions = {}): Promise<FiatStatus> {
  const url = fiatUrl(client, ['orders', orderId, 'status'], { force: options.force || undefined });
  return json(client, { url }, shapes.FiatStatus, options);
}

/** Whether nothing comes after this status of a purchase. */
export function isTerminalPurchase({ status, polling }: FiatStatus): boolean {
  return polling.isTerminal || ['completed', 'failed', 'canceled', 'expired'].includes(status);
}
