import { invalidResponse } from '../request.js';
import { withTimeout } from '../timeout.js';
import type { Eip1193Provider } from '../wallets/wallet.js';
import type { WalletChains } from './wallet-request.js';

/** How long an endpoint is given, in milliseconds. */
const TIMEOUT = 15_000;
/** How much of a reason is shown, in characters. */
const MAX_REASON = 200;

export const wouldFail = (reason: string) => invalidResponse(`The deposit would fail: ${reason}.`);

/** The error where nobody simulates, and the caller does not take the service's word instead. */
export const unsimulated = (contract: string) =>
  invalidResponse(`The wallet cannot simulate the deposit, so what it does is the service's word: trust ${contract} with \`effects\` unchecked to take it.`);

/** The caller's own endpoint of a chain, in the form of a wallet. */
export function endpointOf(chains: WalletChains | undefined, chainId: number): Eip1193Provider | undefined {
  const [url] = chains?.[chainId]?.rpcUrls ?? [];
  if (!url) return undefined;
  return {
    async request({ method, params }) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const { result, error } = (await response.json()) as { result?: unknown; error?: { message?: string } };
      if (error) throw new Error(error.message);
      return result;
    },
  };
}

/** What `look` finds, if it does so in time and without an error. */
export const attempt = <T>(look: () => Promise<T | undefined>): Promise<T | undefined> =>
  withTimeout(TIMEOUT, undefined, look).catch(() => undefined);

/** The beginning of a text of a chain, with nothing in it that is not text. */
export const printable = (text: string): string => text.slice(0, MAX_REASON).replace(/[^ -~]/g, '?');
