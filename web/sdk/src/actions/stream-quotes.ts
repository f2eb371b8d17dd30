import { checkAmounts } from '../check-amounts.js';
import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { QuoteAsk, StreamedRoute } from '../generated/types.js';
import { readJsonLines } from '../read-json-lines.js';
import { url } from '../url.js';

/**
 * Requests a quote from all fillers and yields each route as soon as it arrives, in no particular order.
 *
 * Routes received before an error remain valid. The timeout applies to the response head and to each wait for a further route.
 * Breaking out of the loop closes the connection.
 */
export async function* streamQuotes(
  client: Client,
  ask: QuoteAsk,
  options: CallOptions = {},
): AsyncGenerator<StreamedRoute, void> {
  const request = { method: 'POST', url: url(client.baseUrl, ['v1', 'quotes'], { mode: 'stream' }), body: ask } as const;
  for await (const { value, response } of readJsonLines<StreamedRoute>(client, request, shapes.StreamedRoute, options)) {
    checkAmounts(value, response);
    yield value;
  }
}
