import type { Token } from './generated/types.js';

/** People read amounts by these: a service that lies about the decimals of a well-known token is not believed. */
export async function checkDecimals<T>(answer: T, tokens: readonly Token[]): Promise<T> {
  const { wrongDecimals } = await import('./execute/decimals.js');
  for (const { chainId, address, decimals } of tokens) {
    const lie = wrongDecimals(chainId, address, decimals);
    if (lie) throw lie;
  }
  return answer;
}
