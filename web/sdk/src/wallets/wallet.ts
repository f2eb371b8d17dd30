import type { Terms } from '../generated/types.js';

/** An EVM wallet: an EIP-1193 provider, such as the one that browsers inject, or the result of `fromViem` or `fromEthers`. */
export interface Eip1193Provider {
  // Providers type their methods more or less narrowly; all of them accept these arguments.
  request(args: { method: any; params?: any }): Promise<unknown>;
}

/** A Solana wallet, created by `@causeway/sdk/solana`. It signs a serialized transaction and does not send it. */
export interface SolanaSigner {
  readonly address: string;
  signTransaction(transaction: Uint8Array): Promise<Uint8Array>;
  /** Checks a deposit transaction against the terms before it is signed. Returns the problem, if there is one. */
  checkTransaction(transaction: Uint8Array, terms: Terms): Promise<string | undefined>;
}

/** The wallet that signs the deposit. */
export type Wallet = Eip1193Provider | SolanaSigner;

export const isSolana = (wallet: Wallet): wallet is SolanaSigner => 'checkTransaction' in wallet;
