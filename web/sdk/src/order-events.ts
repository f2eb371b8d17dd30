import type { CallOptions, Client } from './client.js';
import * as shapes from './generated/shapes.js';
import type { OrderEvent } from './generated/types.js';
import { openLineStream } from './line-stream.js';
import { invalidResponse, parse } from './request.js';
import { url } from './url.js';

/** Events that were received together. */
export interface Batch {
  events: OrderEvent[];
  /** The id of the last event. */
  lastId: string | undefined;
}

/** The server-sent events of an order. */
export interface EventStream {
  batches: AsyncGenerator<Batch, void>;
  close(): void;
}

/** Opens the event stream of an order, after the event `lastId`. There is no timeout between events: an order may wait for hours. */
export async function openEvents(client: Client, orderId: string, lastId: string | undefined, options: CallOptions): Promise<EventStream> {
  const headers: Record<string, string> = { accept: 'text/event-stream', ...(lastId ? { 'last-event-id': lastId } : {}) };
  const request = { url: url(client.baseUrl, ['v1', 'orders', 'by-id', orderId, 'events']), headers };
  const { head, chunks, close } = await openLineStream(client, request, options);
  if (!head.headers.get('content-type')?.startsWith('text/event-stream') && head.status !== 204) {
    close();
    throw invalidResponse('The response is not an event stream.', { head, text: '' });
  }
  return { batches: batches(head, chunks(Infinity)), close };
}

/** Parses events. An empty line ends an event; an event without data, such as a keep-alive comment, is skipped. */
async function* batches(head: Response, chunks: AsyncGenerator<string[], void>): AsyncGenerator<Batch, void> {
  let text = '';
  let lastId: string | undefined;
  for await (const lines of chunks) {
    const events: OrderEvent[] = [];
    try {
      for (const line of lines) {
        const [, field, value = ''] = line.match(/^(\w+): ?(.*)$/) ?? [];
        if (field === 'data') text += value;
        if (field === 'id') lastId = value;
        if (line !== '' || !text) continue;
        events.push(parse({ head, text }, shapes.OrderEvent));
        text = '';
      }
    } catch (error) {
      // Events before the invalid one are valid.
      if (events.length > 0) yield { events, lastId };
      throw error;
    }
    if (events.length > 0) yield { events, lastId };
  }
}
