import { checkTransaction } from './check-solana.js';
import type { SolanaSigner } from './wallet.js';

/** What is needed of a wallet by the Wallet Standard. */
export interface StandardWallet {
  readonly name: string;
  readonly features: Readonly<Record<string, unknown>>;
}

/** One of its accounts. */
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

/** An account of a wallet by the Wallet Standard (`solana:signTransaction`) as a wallet for `executeSwap`. */
export function fromWalletStandard(
  wallet: StandardWallet,
  account: StandardAccount,
  chain: `solana:${string}` = 'solana:mainnet',
): SolanaSigner {
  const feature = wallet.features['solana:signTransaction'] as SignTransaction | undefined;
  if (!feature) throw new TypeError(`The wallet ${wallet.name} does not sign Solana transactions.`);
  return fromSigner(account.address, async (transaction) => {
    const [signed] = await feature.signTransaction({ account, transaction, chain });
    if (!signed) throw new Error(`The wallet ${wallet.name} answered without a transaction.`);
    return signed.signedTransaction;
  });
}

/** Whatever signs a serialized transaction, as a wallet for `executeSwap`. */
export function fromSigner(address: string, signTransaction: SolanaSigner['signTransaction']): SolanaSigner {
  return { address, signTransaction, checkTransaction: (transaction, terms) => checkTransaction(address, terms, transaction) };
}
