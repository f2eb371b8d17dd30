import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatProvider, FiatProviders } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Who sells, what, and for which money. */
export async function getFiatProviders(client: Client, options?: CallOptions): Promise<FiatProvider[]> {
  const ask = { url: fiatUrl(client, ['providers']) } as const;
  return (await json<FiatProviders>(client, ask, shapes.FiatProviders, options)).providers;
}
