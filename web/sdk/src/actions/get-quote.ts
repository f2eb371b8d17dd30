import { checkAmounts } from '../check-amounts.js';
import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { QuoteAnswer, QuoteAsk } from '../generated/types.js';
import { answer, read } from '../request.js';
import { url } from '../url.js';

/** Asks every filler at once; the routes come best first, and none where nobody answered in time. */
export async function getQuote(client: Client, ask: QuoteAsk, options?: CallOptions): Promise<QuoteAnswer> {
  const got = await answer(client, { method: 'POST', url: url(client.baseUrl, ['v1', 'quotes']), body: ask }, options);
  const quote = read<QuoteAnswer>(got, shapes.QuoteAnswer);
  quote.routes.forEach((route) => checkAmounts(route, got.response, got.text));
  return quote;
}
