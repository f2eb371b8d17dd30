import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatProvider, FiatProviders } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Returns the fiat providers, with their tokens, currencies and payment methods. */
export async function getFiatProviders(client: Client, options?: CallOptions): Promise<FiatProvider[]> {
  const request = { url: fiatUrl(client, ['providers']) } as const;
  return (await json<FiatProviders>(client, request, shapes.FiatProviders, options)).providers;
}
