import type { Client } from '../client.js';
import type { FiatStatus } from '../generated/types.js';
import { pollPurchase, type TrackPurchaseOptions } from './poll-purchase.js';

/**
 * Follows a purchase until it is `completed`, `failed`, `canceled` or `expired`, and tells `onStatus` whenever its status or its progress
 * has changed.
 *
 * The service says when to ask again, though not more often than the pace allows. Errors that may pass are waited out; the others,
 * and an abort, end the tracking.
 */
export function trackPurchase(client: Client, orderId: string, options: TrackPurchaseOptions = {}): Promise<FiatStatus> {
  let told: string | undefined;
  const onStatus = (status: FiatStatus) => {
    const news = `${status.status} ${status.progress}`;
    if (news !== told) options.onStatus?.(status);
    told = news;
  };
  return pollPurchase(client, orderId, { ...options, onStatus });
}
