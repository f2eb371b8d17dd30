import type { Token } from './generated/types.js';

/** Throws if the service reports wrong decimals for a well-known token: amounts would be displayed wrongly. */
export async function checkDecimals<T>(result: T, tokens: readonly Token[]): Promise<T> {
  const { wrongDecimals } = await import('./execute/decimals.js');
  for (const { chainId, address, decimals } of tokens) {
    const error = wrongDecimals(chainId, address, decimals);
    if (error) throw error;
  }
  return result;
}
