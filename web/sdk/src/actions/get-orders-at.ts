import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { DepositAddressOrders } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Returns the orders of a deposit address and the transfers that it has received. */
export function getOrdersAt(client: Client, depositAddress: string, options?: CallOptions): Promise<DepositAddressOrders> {
  return json(client, { url: url(client.baseUrl, ['v1', 'orders', 'by-deposit-address', depositAddress]) }, shapes.DepositAddressOrders, options);
}
