import { DECIMALS } from '../generated/decimals.js';
import type { ServiceError } from '../errors.js';
import { invalidResponse } from '../request.js';
import { SOLANA_CHAIN_ID } from '../token-identifier.js';
import { toBytes32 } from './bytes32.js';

/** The decimals of native coins and well-known tokens, built into the SDK; `undefined` for other tokens. */
export function knownDecimals(chainId: number, token: string): number | undefined {
  const address = toBytes32(token);
  if (address === undefined) return undefined;
  const solana = chainId === SOLANA_CHAIN_ID;
  if (BigInt(address) === 0n) return solana ? 9 : 18;
  const key = solana ? token : `0x${address.slice(26)}`;
  const groups = Object.entries(DECIMALS[chainId] ?? {});
  const found = groups.find(([, addresses]) => addresses.split(' ').includes(key));
  return found && Number(found[0]);
}

/** Returns an error if the decimals that the service reports differ from the known ones. */
export function wrongDecimals(chainId: number, token: string, decimals: number | undefined): ServiceError | undefined {
  const known = knownDecimals(chainId, token);
  if (decimals === undefined || known === undefined || known === decimals) return undefined;
  return invalidResponse(`The service reports ${decimals} decimals for ${token} on chain ${chainId}, expected ${known}.`);
}
