import { checkAmounts } from '../check-amounts.js';
import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { QuoteAnswer, QuoteAsk } from '../generated/types.js';
import { parse, send } from '../request.js';
import { url } from '../url.js';

/** Requests a quote from all fillers. Routes are sorted best first; the list is empty if no filler answered in time. */
export async function getQuote(client: Client, ask: QuoteAsk, options?: CallOptions): Promise<QuoteAnswer> {
  const response = await send(client, { method: 'POST', url: url(client.baseUrl, ['v1', 'quotes']), body: ask }, options);
  const quote = parse<QuoteAnswer>(response, shapes.QuoteAnswer);
  quote.routes.forEach((route) => checkAmounts(route, response));
  return quote;
}
