import type { Terms } from '../generated/types.js';

/** A wallet of EVM chains, by EIP-1193: what browsers inject, and what the adapters of viem and ethers make. */
export interface Eip1193Provider {
  // Providers differ in how narrowly they type their methods; all of them take these arguments.
  request(args: { method: any; params?: any }): Promise<unknown>;
}

/** A wallet of Solana, as `@causeway/sdk/solana` makes it: it signs a serialized transaction and does not send it. */
export interface SolanaSigner {
  readonly address: string;
  signTransaction(transaction: Uint8Array): Promise<Uint8Array>;
  /** Says what a deposit's transaction does other than its terms; it is asked before anything is signed. */
  checkTransaction(transaction: Uint8Array, terms: Terms): Promise<string | undefined>;
}

/** Whoever signs the deposit. */
export type Wallet = Eip1193Provider | SolanaSigner;

export const isSolana = (wallet: Wallet): wallet is SolanaSigner => 'checkTransaction' in wallet;
