import type { CallOptions, Client } from '../client.js';
import { isTransient } from '../errors.js';
import type { FiatStatus } from '../generated/types.js';
import { pace, type Pace } from '../pace.js';
import { pause } from '../within.js';
import { getFiatStatus, isTerminalPurchase } from './get-status.js';

/** How a purchase is followed, and who is told. */
export interface TrackPurchaseOptions extends CallOptions, Pace {
  onStatus?: ((status: FiatStatus) => void) | undefined;
}

/** Asks for the status until it is terminal, as often as the service suggests and `interval` allows, and tells of each answer. */
export async function pollPurchase(client: Client, orderId: string, options: TrackPurchaseOptions): Promise<FiatStatus> {
  const { interval = 2000 } = options;
  for (;;) {
    let wait: number;
    try {
      const status = await getFiatStatus(client, orderId, options);
      options.onStatus?.(status);
      if (isTerminalPurchase(status)) return status;
      wait = Math.max(status.polling.suggestedIntervalMs, interval);
    } catch (error) {
      if (!isTransient(error)) throw error;
      wait = pace(options).after(error);
    }
    await pause(wait, options.signal);
  }
}
