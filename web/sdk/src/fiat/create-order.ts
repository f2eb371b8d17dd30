import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatOrderAnswer, FiatOrderAsk } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Takes a quote; the same quote twice gives the same order. The payer goes on with `startCheckout`. */
export function createFiatOrder(client: Client, ask: FiatOrderAsk, options?: CallOptions): Promise<FiatOrderAnswer> {
  const asked = { method: 'POST', url: fiatUrl(client, ['order']), body: ask } as const;
  return json(client, asked, shapes.FiatOrderAnswer, options);
}
