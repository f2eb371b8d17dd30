import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatQuoteAsk, FiatQuoteLine } from '../generated/types.js';
import { readJsonLines } from '../read-json-lines.js';
import { invalidResponse } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Requests quotes from all providers and yields each quote, or the error of a provider without one, as soon as it arrives. */
export async function* streamFiatQuotes(
  client: Client,
  ask: FiatQuoteAsk,
  options: CallOptions = {},
): AsyncGenerator<FiatQuoteLine, void> {
  const url = fiatUrl(client, ['quote'], { mode: 'stream' });
  const request = { method: 'POST', url, body: ask } as const;
  for await (const { value, response } of readJsonLines<FiatQuoteLine>(client, request, shapes.FiatQuoteLine, options)) {
    if (!('quote' in value || 'error' in value)) throw invalidResponse('A line is neither a quote nor an error.', response);
    yield value;
  }
}
