import type { Client, KeyedCallOptions } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatOrderAnswer, FiatOrderAsk } from '../generated/types.js';
import { jsonOnce } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Creates a purchase from a quote. Idempotent: the same quote returns the same order. Continue with `startCheckout`. */
export function createFiatOrder(client: Client, ask: FiatOrderAsk, options?: KeyedCallOptions): Promise<FiatOrderAnswer> {
  const request = { method: 'POST', url: fiatUrl(client, ['order']), body: ask } as const;
  return jsonOnce(client, request, shapes.FiatOrderAnswer, options);
}
