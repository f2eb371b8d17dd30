import type { CallOptions, Client } from '../client.js';
import { openEvents } from '../events.js';
import type { OrderEvent } from '../generated/types.js';

/**
 * An order's story, line by line as it happens, from its beginning to the status that is its last.
 *
 * Between two lines nothing times out. Leaving the loop hangs up. `trackOrder` is what most callers want.
 */
export async function* streamOrderEvents(client: Client, orderId: string, options: CallOptions = {}): AsyncGenerator<OrderEvent, void> {
  const { batches } = await openEvents(client, orderId, undefined, options);
  for await (const { events } of batches) yield* events;
}
