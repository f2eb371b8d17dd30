import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatQuoteAsk, FiatQuoteLine } from '../generated/types.js';
import { readLines } from '../read-lines.js';
import { unlike } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Asks every provider at once and yields each quote, or why there is none, the moment it comes. */
export async function* streamFiatQuotes(
  client: Client,
  ask: FiatQuoteAsk,
  options: CallOptions = {},
): AsyncGenerator<FiatQuoteLine, void> {
  const url = fiatUrl(client, ['quote'], { mode: 'stream' });
  const asked = { method: 'POST', url, body: ask } as const;
  for await (const { value, response, text } of readLines<FiatQuoteLine>(client, asked, shapes.FiatQuoteLine, options)) {
    if (!('quote' in value || 'error' in value)) throw unlike('A line is neither a quote nor an error.', response, text);
    yield value;
  }
}
