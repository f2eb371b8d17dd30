import { ApiTimeoutError, ServiceError } from '../errors.js';
import { sleep, withTimeout } from '../timeout.js';
import type { Eip1193Provider } from '../wallets/wallet.js';

/** How often a receipt is requested, in milliseconds. */
const RECEIPT_INTERVAL = 1000;
/** How long to wait for a receipt, in milliseconds. */
const RECEIPT_TIMEOUT = 300_000;

/** The parameters of a chain, by EIP-3085. */
export interface WalletChain {
  chainName: string;
  rpcUrls: string[];
  nativeCurrency: { name: string; symbol: string; decimals: number };
  blockExplorerUrls?: string[] | undefined;
}

/** Chains that the wallet may add, by chain id. */
export type WalletChains = Readonly<Record<number, WalletChain>>;

/** Converts an error of the wallet to a `ServiceError` with the wallet's message. */
export async function wrapWalletError<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const { shortMessage, message } = Object(error) as { shortMessage?: string; message?: string };
    throw new ServiceError(shortMessage || message || 'The wallet rejected the request.', 'SVC3007', undefined, error);
  }
}

/**
 * Sends a request to the wallet. A chain that the wallet does not know is added only with the caller's parameters: an RPC endpoint can
 * show the wallet any balance and any receipt.
 */
export async function requestWallet(
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
 * Waits until the transaction is mined. Throws if it reverted, was replaced by another transaction, or is not mined in time.
 */
export async function waitForReceipt(wallet: Eip1193Provider, from: string, hash: string, signal: AbortSignal | undefined): Promise<void> {
  const call = (method: string, ...params: unknown[]) => wallet.request({ method, params });
  let nonce = Infinity;
  let replacedCount = 0;
  await pollWallet(`The transaction ${hash}`, signal, async () => {
    const receipt = (await call('eth_getTransactionReceipt', hash)) as { status?: unknown } | null;
    if (receipt) {
      if (Number(receipt.status) === 1) return receipt;
      throw new Error(`The transaction ${hash} reverted.`);
    }
    // Wallets may not support these methods, and load-balanced nodes may be a block apart, so a replacement must be seen three times.
    const sent = (await call('eth_getTransactionByHash', hash).catch(() => null)) as { nonce?: unknown } | null;
    if (sent) nonce = Number(sent.nonce);
    else if (Number(await call('eth_getTransactionCount', from, 'latest').catch(() => null)) > nonce) replacedCount += 1;
    if (replacedCount > 2) throw new Error(`The transaction ${hash} was replaced by another transaction of the wallet.`);
    return undefined;
  });
}

/** Calls `look` until it returns something; `subject` was sent and may never be mined. */
export async function pollWallet<T>(subject: string, signal: AbortSignal | undefined, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + RECEIPT_TIMEOUT;
  for (let left = RECEIPT_TIMEOUT; left > 0; left = deadline - Date.now()) {
    try {
      // The wallet may never respond.
      const found = await withTimeout(left, signal, look);
      if (found !== undefined) return found;
      await sleep(Math.min(RECEIPT_INTERVAL, left), signal);
    } catch (error) {
      if (!(error instanceof ApiTimeoutError)) throw error;
    }
  }
  throw new Error(`${subject} was sent but not mined within ${RECEIPT_TIMEOUT / 60_000} minutes; it may still be mined later.`);
}
