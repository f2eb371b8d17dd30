import { checkDecimals } from '../check-decimals.js';
import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Token } from '../generated/types.js';
import { parse, send } from '../request.js';
import { url } from '../url.js';
import type { ChainScope } from './get-tokens.js';

/** The token balances of an address. */
export interface Balances {
  /** Tokens with a balance above zero. The balance is in `extensions.balance`, in raw units. */
  tokens: Token[];
  /** Ids of the chains whose balances could not be read. Their tokens are missing from `tokens`. */
  silentChains: number[];
}

/** Returns the balances of an address in every token of the catalog, across chains. */
export async function getBalances(
  client: Client,
  address: string,
  query: ChainScope = {},
  options?: CallOptions,
): Promise<Balances> {
  const { chainIds } = query;
  const response = await send(client, { url: url(client.baseUrl, ['v1', 'tokens', 'balances', address], { chainIds }) }, options);
  const unavailable = response.head.headers.get('x-partial-chains')?.match(/\d+/g) ?? [];
  const tokens = parse<Token[]>(response, [shapes.Token]);
  return checkDecimals({ tokens, silentChains: unavailable.map(Number) }, tokens);
}
