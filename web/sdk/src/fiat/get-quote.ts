import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatQuoteAnswer, FiatQuoteAsk } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Requests quotes from all providers. Quotes are sorted by output, best first; `errors` lists the providers without a quote. */
export function getFiatQuote(client: Client, ask: FiatQuoteAsk, options?: CallOptions): Promise<FiatQuoteAnswer> {
  const request = { method: 'POST', url: fiatUrl(client, ['quote']), body: ask } as const;
  return json(client, request, shapes.FiatQuoteAnswer, options);
}
