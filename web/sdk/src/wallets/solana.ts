import { checkTransaction } from './check-solana.js';
import type { SolanaSigner } from './wallet.js';

/** The parts of a Wallet Standard wallet that the SDK uses. */
export interface StandardWallet {
  readonly name: string;
  readonly features: Readonly<Record<string, unknown>>;
}

/** An account of a Wallet Standard wallet. */
export interface StandardAccount {
  readonly address: string;
}

interface SignTransaction {
  signTransaction(input: {
    account: StandardAccount;
    transaction: Uint8Array;
    chain?: string;
  }): Promise<readonly { signedTransaction: Uint8Array }[]>;
}

/** Adapts an account of a Wallet Standard wallet (`solana:signTransaction`) to a wallet for `executeSwap`. */
export function fromWalletStandard(
  wallet: StandardWallet,
  account: StandardAccount,
  chain: `solana:${string}` = 'solana:mainnet',
): SolanaSigner {
  const feature = wallet.features['solana:signTransaction'] as SignTransaction | undefined;
  if (!feature) throw new TypeError(`The wallet ${wallet.name} does not sign Solana transactions.`);
  return fromSigner(account.address, async (transaction) => {
    const [signed] = await feature.signTransaction({ account, transaction, chain });
    if (!signed) throw new Error(`The wallet ${wallet.name} returned no transaction.`);
    return signed.signedTransaction;
  });
}

/** Adapts any function that signs a serialized transaction to a wallet for `executeSwap`. */
export function fromSigner(address: string, signTransaction: SolanaSigner['signTransaction']): SolanaSigner {
  return { address, signTransaction, checkTransaction: (transaction, terms) => checkTransaction(address, terms, transaction) };
}
