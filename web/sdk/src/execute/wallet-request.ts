import { ApiTimeoutError, ServiceError } from '../errors.js';
import { pause, within } from '../within.js';
import type { Eip1193Provider } from '../wallets/wallet.js';

/** How often is looked for a receipt, in milliseconds, and for how long. */
const LOOK = 1000;
const PATIENCE = 300_000;

/** A chain as EIP-3085 describes it to a wallet. */
export interface WalletChain {
  chainName: string;
  rpcUrls: string[];
  nativeCurrency: { name: string; symbol: string; decimals: number };
  blockExplorerUrls?: string[] | undefined;
}

/** The chains that a caller lets a wallet add, by their ids. */
export type WalletChains = Readonly<Record<number, WalletChain>>;

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

/**
 * Asks the wallet. A chain that it does not know yet is added only as the caller describes it: whoever names a wallet's endpoints can
 * show it any balance and any receipt.
 */
export async function request(
  wallet: Eip1193Provider,
  method: string,
  params: unknown[],
  chains: WalletChains | undefined,
): Promise<unknown> {
  try {
    return await wallet.request({ method, params });
  } catch (error) {
    const { code, data } = Object(error) as { code?: number; data?: { originalError?: { code?: number } } };
    const unknown = method === 'wallet_switchEthereumChain' && (code === 4902 || data?.originalError?.code === 4902);
    if (!unknown) throw error;
    const { chainId } = params[0] as { chainId: string };
    const chain = chains?.[Number(chainId)];
    if (!chain) throw error;
    await wallet.request({ method: 'wallet_addEthereumChain', params: [{ chainId, ...chain }] });
    return wallet.request({ method, params });
  }
}

/**
 * Waits until the chain has taken the transaction; one that reverted is an error, and so is one that another has replaced or that is
 * not taken in time.
 */
export async function mined(wallet: Eip1193Provider, from: string, hash: string, signal: AbortSignal | undefined): Promise<void> {
  const look = (method: string, ...params: unknown[]) => wallet.request({ method, params });
  const until = Date.now() + PATIENCE;
  let nonce = Infinity;
  let passed = 0;
  const taken = async () => {
    const receipt = (await look('eth_getTransactionReceipt', hash)) as { status?: unknown } | null;
    if (receipt) {
      if (Number(receipt.status) === 1) return true;
      throw new Error(`The transaction ${hash} was reverted.`);
    }
    // Wallets may not let these through, and nodes behind one address may be a block apart: it is believed when it is said again.
    const sent = (await look('eth_getTransactionByHash', hash).catch(() => null)) as { nonce?: unknown } | null;
    if (sent) nonce = Number(sent.nonce);
    else if (Number(await look('eth_getTransactionCount', from, 'latest').catch(() => null)) > nonce) passed += 1;
    if (passed > 2) throw new Error(`The transaction ${hash} was replaced by another one of the wallet.`);
    return false;
  };
  for (let left = PATIENCE; left > 0; left = until - Date.now()) {
    try {
      // The wallet itself may never answer.
      if (await within(left, signal, taken)) return;
      await pause(Math.min(LOOK, left), signal);
    } catch (error) {
      if (!(error instanceof ApiTimeoutError)) throw error;
    }
  }
  throw new Error(`The transaction ${hash} was sent and is not mined after ${PATIENCE / 60_000} minutes; it may still be.`);
}
