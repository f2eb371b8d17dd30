import { getChains } from '../actions/get-chains.js';
import type { Client } from '../client.js';
import { ServiceError } from '../errors.js';
import { pause } from '../within.js';
import type { Eip1193Provider } from '../wallets/wallet.js';

/** How often is looked for a receipt, in milliseconds. */
const LOOK = 1000;

/** What the wallet says or refuses, as an error of ours in the wallet's own words. */
export async function asked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const { shortMessage, message } = Object(error) as { shortMessage?: string; message?: string };
    throw new ServiceError(shortMessage || message || 'The wallet refused.', 'SVC3007', undefined, error);
  }
}

/** Asks the wallet, and tells it of a chain that it does not know yet. */
export async function request(client: Client, wallet: Eip1193Provider, method: string, params: unknown[]): Promise<unknown> {
  try {
    return await wallet.request({ method, params });
  } catch (error) {
    const { code, data } = Object(error) as { code?: number; data?: { originalError?: { code?: number } } };
    const unknown = method === 'wallet_switchEthereumChain' && (code === 4902 || data?.originalError?.code === 4902);
    if (!unknown) throw error;
    const { chainId } = params[0] as { chainId: string };
    const chain = (await getChains(client)).find(({ id }) => id === Number(chainId));
    if (!chain) throw error;
    const { name: chainName, nativeCurrency, rpcUrls, explorerUrl } = chain;
    const added = { chainId, chainName, nativeCurrency, rpcUrls: rpcUrls.default.http, blockExplorerUrls: [explorerUrl] };
    await wallet.request({ method: 'wallet_addEthereumChain', params: [added] });
    return wallet.request({ method, params });
  }
}

/** Waits until the chain has taken the transaction; one that reverted is an error. */
export async function mined(wallet: Eip1193Provider, hash: string, signal: AbortSignal | undefined): Promise<void> {
  for (;;) {
    const receipt = (await wallet.request({ method: 'eth_getTransactionReceipt', params: [hash] })) as { status?: unknown } | null;
    if (receipt) {
      if (Number(receipt.status) === 1) return;
      throw new Error(`The transaction ${hash} was reverted.`);
    }
    await pause(LOOK, signal);
  }
}
