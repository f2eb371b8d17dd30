import { checkDecimals } from '../check-decimals.js';
import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Token } from '../generated/types.js';
import { answer, read } from '../request.js';
import { url } from '../url.js';
import type { ChainScope } from './get-tokens.js';

/** What an address holds. */
export interface Balances {
  /** With `extensions.balance` in raw units; what it does not hold is left out. */
  tokens: Token[];
  /** Chains that did not answer: what it holds there is not among the tokens. */
  silentChains: number[];
}

/** What an address holds of the well-known tokens, over all chains at once. */
export async function getBalances(
  client: Client,
  address: string,
  query: ChainScope = {},
  options?: CallOptions,
): Promise<Balances> {
  const { chainIds } = query;
  const got = await answer(client, { url: url(client.baseUrl, ['v1', 'tokens', 'balances', address], { chainIds }) }, options);
  const silent = got.response.headers.get('x-partial-chains')?.match(/\d+/g) ?? [];
  const tokens = read<Token[]>(got, [shapes.Token]);
  return checkDecimals({ tokens, silentChains: silent.map(Number) }, tokens);
}
