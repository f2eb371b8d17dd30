/**
 * Everything that belongs to one version of the contracts: a new version changes this file, and the table of lies with it.
 *
 * Addresses are in lower case.
 */

/** The escrows that a caller trusts, by chain. */
export type Escrows = Readonly<Record<number, string>>;

/** The version in the terms of orders. */
export const ORDER_VERSION = '2';
/** The hash of the type `CausewayOrder`, whose fields are `TERMS`. */
export const TYPE_HASH = '0x827a100cb58f59ba82e36c6f3def761758a4b90a6a537b2a992a5a5dcc858ed5';
/** `open((uint32,bytes32,bytes))` of the escrow. */
export const OPEN = '0xe917a962';
/** The contract that makes deposit addresses, and the hash of their code: the same on every chain where transfers are offered. */
export const FACTORY = '18c1fcd9cd2ec323ab78c4b62fbdafac98c05e55';
export const ADDRESS_CODE = '8356e3766a89d0b23373d3cf52894f7f3d41646b376035088fafa6895fb58f00';

/** The escrows of published deployments. An operator that publishes its own adds them here; until then callers name theirs. */
export const KNOWN_ESCROWS: Escrows = {};

/** The sandbox's escrows are the same at every start: one for most chains, one for those of the ZKsync stack, one on Solana. */
const SANDBOX_ESCROW = '0x7c393757C568b4F9314693A3E5a5eD59bd71c77A';
const SANDBOX_ESCROWS: Escrows = {
  324: '0x81500Edd343918952A6AEa4c25041e6B760800e7',
  2741: '0x81500Edd343918952A6AEa4c25041e6B760800e7',
  20_011_000_000: 'CausewayEscrow11111111111111111111111111111',
};

/**
 * The escrow that money on this chain may go to: the caller's, and nothing else where the caller names any; else a published one; else
 * the sandbox's, if the service runs on this machine. The keys of the sandbox's attesters are public, so it counts nowhere else.
 */
export function trustedEscrow(baseUrl: string, chainId: number, escrows: Escrows | undefined): string | undefined {
  if (escrows) return escrows[chainId];
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
  return KNOWN_ESCROWS[chainId] ?? (isLocal ? SANDBOX_ESCROWS[chainId] ?? SANDBOX_ESCROW : undefined);
}
