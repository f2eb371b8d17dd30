import type { Client } from '../client.js';
import { url } from '../url.js';

/** Builds the URL of an operation of the fiat API. */
export function fiatUrl(client: Client, segments: readonly string[], query?: Parameters<typeof url>[2]): string {
  return url(client.fiatBaseUrl, ['v1', 'fiat', ...segments], query);
}
