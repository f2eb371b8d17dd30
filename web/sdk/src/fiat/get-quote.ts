import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatQuoteAnswer, FiatQuoteAsk } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Asks every provider at once; the quotes come best output first, with the providers that have none beside them. */
export function getFiatQuote(client: Client, ask: FiatQuoteAsk, options?: CallOptions): Promise<FiatQuoteAnswer> {
  const asked = { method: 'POST', url: fiatUrl(client, ['quote']), body: ask } as const;
  return json(client, asked, shapes.FiatQuoteAnswer, options);
}
