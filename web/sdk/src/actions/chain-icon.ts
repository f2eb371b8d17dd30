import type { CallOptions, Client } from '../client.js';
import { svg } from '../request.js';
import { url } from '../url.js';

/** The URL of a chain's icon, for the `src` of an image. */
export function chainIconUrl(client: Client, chainId: number): string {
  return url(client.baseUrl, ['v1', 'chain', chainId, 'icon']);
}

/** Returns a chain's icon as SVG text. */
export function getChainIcon(client: Client, chainId: number, options?: CallOptions): Promise<string> {
  return svg(client, chainIconUrl(client, chainId), options);
}
