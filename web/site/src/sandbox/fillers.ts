import { catalog, getJson } from '../site.js';

/** A filler of the sandbox with its accounts, and the chains on which it delivers nothing. */
export interface SandboxFiller {
  name: string;
  accounts: string[];
  chains: number;
  failing: number[];
}

/** USDC on a chain, which is what orders that fail are about. */
export const usdcOn = (chainId: number): string | undefined => catalog.top.find((token) => token.chainId === chainId && token.symbol === 'USDC')?.address;

export const readFillers = (): Promise<SandboxFiller[]> => getJson<SandboxFiller[]>('/sandbox/fillers');

/** Lets a filler fail on a chain, or everywhere, or heals it. */
export function letFail(name: string, failing: boolean, chainId?: number): Promise<SandboxFiller> {
  const body = JSON.stringify({ failing, ...(chainId === undefined ? {} : { chainId }) });
  return getJson<SandboxFiller>(`/sandbox/fillers/${encodeURIComponent(name)}`, { method: 'POST', body });
}
