import { DECIMALS } from '../generated/decimals.js';
import type { ServiceError } from '../errors.js';
import { unlike } from '../request.js';
import { SOLANA_CHAIN_ID } from '../token-identifier.js';
import { word } from './words.js';

/** The decimals of native coins and of the best-known tokens, which no service needs to be asked for; nothing for others. */
export function decimalsOf(chainId: number, token: string): number | undefined {
  const address = word(token);
  if (address === undefined) return undefined;
  const solana = chainId === SOLANA_CHAIN_ID;
  if (BigInt(address) === 0n) return solana ? 9 : 18;
  const wanted = solana ? token : `0x${address.slice(26)}`;
  const groups = Object.entries(DECIMALS[chainId] ?? {});
  const found = groups.find(([, addresses]) => addresses.split(' ').includes(wanted));
  return found && Number(found[0]);
}

/** Holds what the service says of a token's decimals against what the SDK knows. */
export function wrongDecimals(chainId: number, token: string, decimals: number | undefined): ServiceError | undefined {
  const own = decimalsOf(chainId, token);
  if (decimals === undefined || own === undefined || own === decimals) return undefined;
  return unlike(`The service says that ${token} on chain ${chainId} has ${decimals} decimals, and it has ${own}.`);
}
