import { checkRoute } from '../execute/check-deposit.js';
import { mismatchError } from '../execute/mismatch-error.js';
import { limitOf, missingBound, violation, type Bound } from '../execute/price-bound.js';
import type { ProviderTransferDeposit, QuoteAsk, RouteQuote } from '../generated/types.js';
import { invalidResponse } from '../request.js';
import { onChain, sourceLink } from './chain-address.js';
import { checkPayment } from './check-payment.js';

/** Latest acceptable end of a transfer's time, in seconds from now: its price holds until then. */
const MAX_SECONDS = 2 * 86_400;

/** Options of {@link checkProviderTransfer}: the worst acceptable price, and who may hold the money. */
export interface ProviderTrust extends Bound {
  /** Names of the providers that are trusted with the money: no contract returns what is sent to their addresses. */
  providers: readonly string[];
}

/**
 * Checks a transfer to an address of a liquidity provider against the request, before it is sent: the provider's name, the route, token,
 * amount and chain, the payment link, the recipient, the refund address, the least output and the time. Throws `SVC3003` on a mismatch.
 *
 * **The address itself cannot be checked**, other than that of `checkTransfer`: it is the service's and the provider's word, and nothing of
 * ours protects the money.
 */
export async function checkProviderTransfer(ask: QuoteAsk, quote: RouteQuote, deposit: ProviderTransferDeposit, trust: ProviderTrust): Promise<void> {
  const limit = await limitOf(ask, trust);
  if (!limit) throw missingBound(ask);
  checkRoute(ask, quote);
  const problem = violation(limit, quote);
  if (problem) throw invalidResponse(`The route does not match the request: ${problem}.`);
  const { provider = 'missing', minAmountOut = '', depositAddress, expiresAt = 0 } = deposit;
  if (!trust.providers.includes(provider)) throw mismatchError('provider', provider, 'one that is trusted with the money');
  const [recipient, refundTo] = [ask.recipient ?? ask.fromAddress, ask.refundTo ?? ask.fromAddress];
  const read = (text: string): string | undefined => onChain(ask.fromChainId, text);
  const parties = [['recipient', ask.toChainId, deposit.recipient, recipient], ['refund address', ask.fromChainId, deposit.refundTo, refundTo]] as const;
  for (const [name, chain, named, asked] of parties) {
    const is = named && onChain(chain, named);
    if (!is || is !== onChain(chain, asked)) throw mismatchError(name, named ?? 'missing', asked);
  }
  const least = quote.minAmountOut ?? quote.amountOut;
  if (!/^\d+$/.test(minAmountOut) || BigInt(minAmountOut) < BigInt(least)) throw mismatchError('output', minAmountOut || 'missing', `at least ${least}`);
  const address = read(depositAddress);
  const own = [ask.fromToken, ask.fromAddress, recipient, refundTo].map(read);
  if (!address || /^0x0+$/.test(address) || own.includes(address)) throw mismatchError('transfer\'s address', depositAddress, 'an address of the provider');
  const left = expiresAt - Date.now() / 1000;
  if (!(left > 0 && left <= MAX_SECONDS)) throw mismatchError('transfer\'s last time', expiresAt, 'within two days');
  for (const transfer of deposit.deposit ? [deposit, deposit.deposit] : [deposit]) {
    checkPayment(ask, quote, transfer, address, read, sourceLink(transfer));
  }
}
