/**
 * Constants of one version of the contracts. A new version changes this file and `tests/cases/lies.json`.
 *
 * Addresses are in lower case.
 */

/** Trusted escrows by chain id. */
export type Escrows = Readonly<Record<number, string>>;

/** The `version` of the terms. */
export const ORDER_VERSION = '2';
/** The EIP-712 type hash of `CausewayOrder`, whose fields are `TERMS`. */
export const TYPE_HASH = '0x827a100cb58f59ba82e36c6f3def761758a4b90a6a537b2a992a5a5dcc858ed5';
/** Selector of `open((uint32,bytes32,bytes))` of the escrow. */
export const OPEN = '0xe917a962';
/** The factory of deposit addresses, the same on every chain that supports transfers. */
export const FACTORY = 'cd7e8dd9a6020e433affb57458a517a1d5a67c60';
/** The init code hash of deposit addresses. */
export const ADDRESS_CODE = '8356e3766a89d0b23373d3cf52894f7f3d41646b376035088fafa6895fb58f00';

/** The escrows of published deployments. There are none yet, so callers pass their own. */
export const KNOWN_ESCROWS: Escrows = {};

/** The sandbox's escrows: one for most chains, one for ZKsync chains, one on Solana. */
const SANDBOX_ESCROW = '0x1F5eB6EB1e0eF48A74B19eeE4f09a3029657B2CA';
const SANDBOX_ESCROWS: Escrows = {
  324: '0xCA5B90D10E52918638354a6aD2A9f42E58A873B3',
  2741: '0xCA5B90D10E52918638354a6aD2A9f42E58A873B3',
  20_011_000_000: 'CausewayEscrow11111111111111111111111111111',
};

/** Whether a service runs on this machine, where only play money is. */
export const isLocal = (baseUrl: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(baseUrl).hostname);

/**
 * The escrow that deposits on this chain may go to. If the caller passes escrows, only those are trusted. Otherwise a published one is,
 * or the sandbox's if the service runs on this machine: the keys of the sandbox's attesters are public, so it is never trusted elsewhere.
 */
export function trustedEscrow(baseUrl: string, chainId: number, escrows: Escrows | undefined): string | undefined {
  if (escrows) return escrows[chainId];
  return KNOWN_ESCROWS[chainId] ?? (isLocal(baseUrl) ? SANDBOX_ESCROWS[chainId] ?? SANDBOX_ESCROW : undefined);
}
