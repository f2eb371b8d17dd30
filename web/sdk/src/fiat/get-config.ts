import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { FiatConfig } from '../generated/types.js';
import { json } from '../request.js';
import { fiatUrl } from './fiat-url.js';

/** What the fiat API can do. */
export function getFiatConfig(client: Client, options?: CallOptions): Promise<FiatConfig> {
  return json(client, { url: fiatUrl(client, ['config']) }, shapes.FiatConfig, options);
}
