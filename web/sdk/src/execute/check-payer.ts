import { ServiceError } from '../errors.js';
import { isSolana, type Wallet } from '../wallets/wallet.js';
import { wrapWalletError } from './wallet-request.js';

/** Throws unless the wallet is the payer of the request. */
export async function checkPayer(wallet: Wallet, from: string): Promise<void> {
  const wrongWallet = (address: string) => new ServiceError(`The swap is for ${from}, but the wallet is ${address}.`, 'SVC3007');
  if (isSolana(wallet)) {
    if (wallet.address !== from) throw wrongWallet(wallet.address);
    return;
  }
  let accounts = (await wrapWalletError(wallet.request({ method: 'eth_accounts' }))) as string[];
  if (accounts.length === 0) accounts = (await wrapWalletError(wallet.request({ method: 'eth_requestAccounts' }))) as string[];
  if (!accounts.some((account) => account.toLowerCase() === from.toLowerCase())) throw wrongWallet(accounts.join(', ') || 'locked');
}
