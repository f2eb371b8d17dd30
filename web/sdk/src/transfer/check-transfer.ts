import { checkRoute, checkTerms } from '../execute/check-deposit.js';
import { ADDRESS_CODE, FACTORY, KNOWN_ESCROWS, type Escrows } from '../execute/contracts.js';
import { limitOf, missingBound, violation, type Bound } from '../execute/price-bound.js';
import type { QuoteAsk, RouteQuote, Terms, TransferDeposit } from '../generated/types.js';
import { invalidResponse } from '../request.js';
import { checkPayment } from './check-payment.js';
import { keccak256 } from './keccak.js';
import { orderId } from './order-id.js';
import { programAddress, textSeed } from './program-address.js';

export { checkProviderTransfer, type ProviderTrust } from './check-provider-transfer.js';

/** Options of {@link checkTransfer}: the worst acceptable price, and the trusted escrows. */
export interface TransferTrust extends Bound {
  /** Trusted escrows by source chain. Defaults to those of published deployments. */
  escrows?: Escrows | undefined;
}

/**
 * Checks a plain transfer against the request, before it is sent: the route, the terms, token, amount and chain, the deposit address,
 * which is derived from these terms, and the payment link. Throws `SVC3003` on a mismatch.
 *
 * QR images cannot be checked: render `qrPayload` yourself.
 */
export async function checkTransfer(ask: QuoteAsk, quote: RouteQuote, deposit: TransferDeposit, trust: TransferTrust): Promise<void> {
  const limit = await limitOf(ask, trust);
  if (!limit) throw missingBound(ask);
  checkRoute(ask, quote);
  const problem = violation(limit, quote);
  if (problem) throw invalidResponse(`The route does not match the request: ${problem}.`);
  const terms = checkTerms(ask, quote, deposit, (trust.escrows ?? KNOWN_ESCROWS)[ask.fromChainId]);
  const address = await deriveAddress(terms, /^0x/i.test(ask.fromAddress));
  for (const transfer of deposit.deposit ? [deposit, deposit.deposit] : [deposit]) checkPayment(ask, quote, transfer, address);
}

/** Derives the deposit address of an order with these terms, as 32 bytes of hex. */
async function deriveAddress(terms: Terms, evm: boolean): Promise<string> {
  const id = orderId(terms);
  if (!evm) return `0x${await programAddress([textSeed('deposit'), id], terms.escrow.slice(2))}`;
  return `0x${'0'.repeat(24)}${keccak256(`ff${FACTORY}${id}${ADDRESS_CODE}`).slice(24)}`;
}
