import { checkAmounts } from '../check-amounts.js';
import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { QuoteAsk, StreamedRoute } from '../generated/types.js';
import { readLines } from '../read-lines.js';
import { url } from '../url.js';

/**
 * Asks every filler at once and yields each route the moment it is known, in no order.
 *
 * Routes that came before an error stand. The time-out holds for the beginning and for each wait. Leaving the loop hangs up.
 */
export async function* streamQuotes(
  client: Client,
  ask: QuoteAsk,
  options: CallOptions = {},
): AsyncGenerator<StreamedRoute, void> {
  const asked = { method: 'POST', url: url(client.baseUrl, ['v1', 'quotes'], { mode: 'stream' }), body: ask } as const;
  for await (const { value, response, text } of readLines<StreamedRoute>(client, asked, shapes.StreamedRoute, options)) {
    checkAmounts(value, response, text);
    yield value;
  }
}
