import { ServiceError } from '../errors.js';
import { isSolana, type Wallet } from '../wallets/wallet.js';
import { asked } from './wallet-request.js';

/** The wallet must be the one that is to pay, before anything is asked. */
export async function checkPayer(wallet: Wallet, from: string): Promise<void> {
  const other = (address: string) => new ServiceError(`The swap is for ${from}, and the wallet is ${address}.`, 'SVC3007');
  if (isSolana(wallet)) {
    if (wallet.address !== from) throw other(wallet.address);
    return;
  }
  let accounts = (await asked(wallet.request({ method: 'eth_accounts' }))) as string[];
  if (accounts.length === 0) accounts = (await asked(wallet.request({ method: 'eth_requestAccounts' }))) as string[];
  if (!accounts.some((account) => account.toLowerCase() === from.toLowerCase())) throw other(accounts.join(', ') || 'locked');
}
