import type { CallOptions, Client } from '../client.js';
import { openEvents } from '../order-events.js';
import type { OrderEvent } from '../generated/types.js';

/**
 * Yields every event of an order, from its creation to its terminal status, as it happens.
 *
 * There is no timeout between events. Breaking out of the loop closes the connection. Most callers want `trackOrder` instead.
 */
export async function* streamOrderEvents(client: Client, orderId: string, options: CallOptions = {}): AsyncGenerator<OrderEvent, void> {
  const { batches } = await openEvents(client, orderId, undefined, options);
  for await (const { events } of batches) yield* events;
}
