import type { CallOptions, Client } from '../client.js';
import { svg } from '../request.js';
import { url } from '../url.js';

/** Where a chain's icon is, for an image of a page. */
export function chainIconUrl(client: Client, chainId: number): string {
  return url(client.baseUrl, ['v1', 'chain', chainId, 'icon']);
}

/** A chain's icon as SVG. */
export function getChainIcon(client: Client, chainId: number, options?: CallOptions): Promise<string> {
  return svg(client, chainIconUrl(client, chainId), options);
}
