import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatOrderView } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Returns a purchase with all its details. */
export function getFiatOrder(client: Client, orderId: string, options?: CallOptions): Promise<FiatOrderView> {
  return json(client, { url: fiatUrl(client, ['order', orderId]) }, shapes.FiatOrderView, options);
}
