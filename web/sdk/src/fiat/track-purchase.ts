import type { Client } from '../client.js';
import type { FiatStatus } from '../generated/types.js';
import { pollPurchase, type TrackPurchaseOptions } from './poll-purchase.js';

/**
 * Tracks a purchase until it is `completed`, `failed`, `canceled` or `expired`. Calls `onStatus` when its status or progress changes.
 *
 * Polls at the interval that the service suggests, but no faster than `interval`. Transient errors are retried. Other errors, and an
 * abort, reject.
 */
export function trackPurchase(client: Client, orderId: string, options: TrackPurchaseOptions = {}): Promise<FiatStatus> {
  let last: string | undefined;
  const onStatus = (status: FiatStatus) => {
    const current = `${status.status} ${status.progress}`;
    if (current !== last) options.onStatus?.(status);
    last = current;
  };
  return pollPurchase(client, orderId, { ...options, onStatus });
}
