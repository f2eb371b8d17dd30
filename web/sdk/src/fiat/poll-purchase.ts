import type { CallOptions, Client } from '../client.js';
import { isTransient } from '../errors.js';
import type { FiatStatus } from '../generated/types.js';
import { polling, type PollingOptions } from '../polling.js';
import { sleep } from '../timeout.js';
import { getFiatStatus, isTerminalPurchase } from './get-status.js';

/** Options of `trackPurchase`. */
export interface TrackPurchaseOptions extends CallOptions, PollingOptions {
  /** Called when the status or the progress of the purchase changes. */
  onStatus?: ((status: FiatStatus) => void) | undefined;
}

/** Polls until the status is terminal, at the suggested interval but no faster than `interval`. Calls `onStatus` with each status. */
export async function pollPurchase(client: Client, orderId: string, options: TrackPurchaseOptions): Promise<FiatStatus> {
  const { interval = 2000 } = options;
  for (;;) {
    let delay: number;
    try {
      const status = await getFiatStatus(client, orderId, options);
      options.onStatus?.(status);
      if (isTerminalPurchase(status)) return status;
      delay = Math.max(status.polling.suggestedIntervalMs, interval);
    } catch (error) {
      if (!isTransient(error)) throw error;
      delay = polling(options).delayAfter(error);
    }
    await sleep(delay, options.signal);
  }
}
