import type { CallOptions, Client } from './client.js';
import * as shapes from './generated/shapes.js';
import type { OrderEvent } from './generated/types.js';
import { open } from './lines.js';
import { read, unlike } from './request.js';
import { url } from './url.js';

/** Events that came together. */
export interface Batch {
  events: OrderEvent[];
  /** The id of the last of them. */
  last: string | undefined;
}

/** The events of an order as they come. */
export interface EventLine {
  batches: AsyncGenerator<Batch, void>;
  hangUp(): void;
}

/** Listens to an order, from after the event `last`. Between two events nothing times out: an order may wait for hours. */
export async function openEvents(client: Client, orderId: string, last: string | undefined, options: CallOptions): Promise<EventLine> {
  const headers: Record<string, string> = { accept: 'text/event-stream', ...(last ? { 'last-event-id': last } : {}) };
  const ask = { url: url(client.baseUrl, ['v1', 'orders', 'by-id', orderId, 'events']), headers };
  const { response, pieces, hangUp } = await open(client, ask, options);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') && response.status !== 204) {
    hangUp();
    throw unlike('The answer is no stream of events.', response);
  }
  return { batches: batches(response, pieces(Infinity)), hangUp };
}

/** Puts events together from their lines; an empty line ends one, and one without data, such as a sign of life, is none. */
async function* batches(response: Response, pieces: AsyncGenerator<string[], void>): AsyncGenerator<Batch, void> {
  let text = '';
  let last: string | undefined;
  for await (const lines of pieces) {
    const events: OrderEvent[] = [];
    try {
      for (const line of lines) {
        const [, field, value = ''] = line.match(/^(\w+): ?(.*)$/) ?? [];
        if (field === 'data') text += value;
        if (field === 'id') last = value;
        if (line !== '' || !text) continue;
        events.push(read({ response, text }, shapes.OrderEvent));
        text = '';
      }
    } catch (error) {
      // What came before stands.
      if (events.length > 0) yield { events, last };
      throw error;
    }
    if (events.length > 0) yield { events, last };
  }
}
