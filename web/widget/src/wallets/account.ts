import type { Wallet } from '@causeway/sdk';
import { keccak256 } from '../../../sdk/src/transfer/keccak.js';

/** The kinds of chains that wallets differ by, as `Chain.type` names them. */
export type Family = 'eip155' | 'solana';
/** With those that swaps only begin on, which no wallet of a browser pays on. */
export type ChainFamily = Family | 'bip122' | 'tron';

/** A connected wallet's account. */
export interface Account {
  family: Family;
  address: string;
  /** The wallet's name. */
  name: string;
  icon?: string | undefined;
  wallet: Wallet;
  /** Tells when the wallet has another account or none; call what it returns to stop. */
  watch?(listener: (address: string | undefined) => void): () => void;
}

/** A wallet that a person may choose. */
export interface WalletChoice {
  /** The same at the next visit. */
  id: string;
  family: Family;
  name: string;
  icon?: string | undefined;
  /** Connects; `silent` must not ask the person, and resolves with nothing where it would have to. */
  connect(silent?: boolean): Promise<Account | undefined>;
}

const EVM = /^0x[0-9a-fA-F]{40}$/;
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Of the chains that swaps only begin on, the service says which addresses are right. */
export const isAddress = (text: string, family: ChainFamily): boolean =>
  (family === 'eip155' ? EVM.test(text) && isChecksummed(text.slice(2)) : family !== 'solana' || SOLANA.test(text));

/** Letters in both cases must be the checksum of EIP-55; otherwise one may be mistyped. */
function isChecksummed(digits: string): boolean {
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  const hash = keccak256(lower.replace(/./g, (digit) => digit.charCodeAt(0).toString(16)));
  return digits === lower.replace(/./g, (digit, at: number) => (hash[at]! > '7' ? digit.toUpperCase() : digit));
}
