import type { QuoteAsk, StreamedRoute } from '@causeway/sdk';
import type { ProviderTrust, TrustedContracts } from '../public.js';

/** What the host trusts, by the names of the providers. */
export type Trust = Readonly<Record<string, ProviderTrust>>;

const trustOf = (trust: Trust, provider: string): ProviderTrust | undefined => (Object.hasOwn(trust, provider) ? trust[provider] : undefined);

/** The contracts of a provider that may be called, by source chain. */
export function contractsOf(trust: Trust, provider: string): TrustedContracts {
  const trusted = trustOf(trust, provider);
  return typeof trusted === 'object' ? trusted : {};
}

/** The providers that may be paid at addresses. */
export const payeesOf = (trust: Trust): string[] => Object.keys(trust).filter((provider) => trustOf(trust, provider) === 'any-address');

/** Whether a route that a provider settles may be offered: it is paid at an address, or by a call on a chain where the host trusts a contract. */
export function isTrusted(trust: Trust, { filler }: Pick<StreamedRoute, 'filler'>, { depositMethods, fromChainId }: Pick<QuoteAsk, 'depositMethods' | 'fromChainId'>): boolean {
  if (!filler) return false;
  return depositMethods?.includes('TRANSFER') ? payeesOf(trust).includes(filler) : (contractsOf(trust, filler)[fromChainId] ?? []).length > 0;
}
