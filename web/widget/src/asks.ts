import type { FiatQuoteAsk, QuoteAsk } from '@causeway/sdk';
import type { App } from './app.js';
import { issueOf } from './errors.js';
import { isAddress, type ChainFamily } from './wallets/account.js';

/** Stand for a person who has not connected a wallet yet: prices can be shown, and nothing can be built for them. */
const NOBODY: Partial<Record<ChainFamily, string>> = {
  eip155: '0x000000000000000000000000000000000000dEaD',
  solana: '1nc1nerator11111111111111111111111111111111',
};

/** Why the form cannot go on, in the order in which a person would put it right. */
export type Obstacle = 'loading' | 'token' | 'amount' | 'wallet' | 'recipient' | 'refund' | 'balance' | 'quoting' | 'no-route';

/** Where the output goes: what was typed, else the connected account of that family. */
export function recipientOf(app: App): string | undefined {
  if (!app.to) return undefined;
  const family = app.catalog.familyOf(app.to.chainId);
  if (app.recipient) return isAddress(app.recipient, family) ? app.recipient : undefined;
  return app.receiver?.address;
}

/** Where a transfer comes back to: what was typed, else the connected account. Nobody knows the sender's own address. */
export function refundOf(app: App): string | undefined {
  if (!app.from) return undefined;
  if (app.refundTo) return isAddress(app.refundTo, app.catalog.familyOf(app.from.chainId)) ? app.refundTo : undefined;
  return app.payer?.address;
}

/** What the service says of an address that was typed. */
export const faultOf = (app: App, side: 'recipient' | 'refundTo'): string | undefined => (app[side] ? issueOf(app.quotes.error, side) : undefined);

/** What the form asks of the swap API; nothing while it is incomplete. */
export function askOf(app: App): QuoteAsk | undefined {
  const { from, to, raw, options } = app;
  if (!from || !to || !raw) return undefined;
  const isTransfer = app.method === 'transfer';
  const [source, target] = [from, to].map(({ chainId }) => app.catalog.familyOf(chainId)) as [ChainFamily, ChainFamily];
  const payer = (isTransfer ? refundOf(app) : app.payer?.address) ?? NOBODY[source] ?? app.liquidity?.nobody[source] ?? '';
  const recipient = recipientOf(app) ?? (source === target ? payer : NOBODY[target]!);
  const refundTo = isTransfer ? payer : refundOf(app);
  return {
    tradeType: app.isExactOutput ? 'EXACT_OUTPUT' : 'EXACT_INPUT',
    fromChainId: from.chainId, fromToken: from.address, toChainId: to.chainId, toToken: to.address, amount: String(raw),
    fromAddress: payer, recipient,
    ...(refundTo === undefined ? {} : { refundTo }),
    ...(app.slippage === undefined ? {} : { slippageTolerance: app.slippage }),
    ...(options.referrer ? { referrer: options.referrer, referrerFeeBps: options.referrerFeeBps ?? 0 } : {}),
    // A native coin cannot be moved by a signature.
    depositMethods: isTransfer ? ['TRANSFER'] : app.isGasless && /^0x0*[1-9a-f]/i.test(from.address) ? ['PERMIT2'] : ['CONTRACT_CALL', 'PERMIT2'],
  };
}

/** What the form asks of the fiat API. */
export function fiatAskOf(app: App): FiatQuoteAsk | undefined {
  const { to, fiatAmount, fiatCurrency, options } = app;
  if (!to || !/^\d+([.,]\d+)?$/.test(fiatAmount) || Number(fiatAmount.replace(',', '.')) <= 0) return undefined;
  return {
    fiatCurrency, fiatAmount: fiatAmount.replace(',', '.'), toChainId: to.chainId, toToken: to.address,
    recipient: recipientOf(app) ?? NOBODY[app.catalog.familyOf(to.chainId)]!,
    ...(options.country ? { country: options.country } : {}),
  };
}

/** What stands between the form and its button. */
export function obstacleOf(app: App): Obstacle | undefined {
  const { from, to, method, quotes, fiatQuotes } = app;
  if (!app.isReady) return 'loading';
  if (!to || (method !== 'buy' && !from)) return 'token';
  if (method === 'buy') {
    if (!fiatAskOf(app)) return 'amount';
    if (!recipientOf(app)) return 'recipient';
    return fiatQuotes.quote ? undefined : fiatQuotes.isLoading ? 'quoting' : 'no-route';
  }
  if (!app.raw) return 'amount';
  if (method === 'swap' && !app.payer) return 'wallet';
  if (!recipientOf(app) || faultOf(app, 'recipient')) return 'recipient';
  if ((method === 'transfer' && !refundOf(app)) || faultOf(app, 'refundTo')) return 'refund';
  if (method === 'swap' && app.refundTo && !refundOf(app)) return 'refund';
  if (!quotes.route) return quotes.isLoading ? 'quoting' : 'no-route';
  const balance = app.catalog.balanceOf(from!);
  if (method === 'swap' && balance !== undefined && BigInt(quotes.route.quote.amountIn) > balance) return 'balance';
  return undefined;
}
