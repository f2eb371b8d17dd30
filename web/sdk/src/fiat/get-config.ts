import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatConfig } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** Returns the features of the fiat API. */
export function getFiatConfig(client: Client, options?: CallOptions): Promise<FiatConfig> {
  return json(client, { url: fiatUrl(client, ['config']) }, shapes.FiatConfig, options);
}
