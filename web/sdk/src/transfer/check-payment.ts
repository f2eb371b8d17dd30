import { toBytes32 } from '../execute/bytes32.js';
import { wrongDecimals } from '../execute/decimals.js';
import { mismatchError } from '../execute/mismatch-error.js';
import type { Payment, QuoteAsk, RouteQuote } from '../generated/types.js';

/**
 * Checks token, amount, chain, address and link of a transfer. The address is in the form that `read` gives, 32 bytes of hex unless given;
 * `source` is the link where it is not one of an EVM chain.
 */
export function checkPayment(
  ask: QuoteAsk, quote: RouteQuote, transfer: Payment, address: string, read: (text: string) => string | undefined = toBytes32, source?: string,
): void {
  const { depositAddress, amount, token = '', chainId, decimals, qrPayload, paymentUri } = transfer;
  if (chainId !== ask.fromChainId) throw mismatchError('transfer\'s chain', chainId, ask.fromChainId);
  const is = read(token);
  if (is === undefined || is !== read(ask.fromToken)) throw mismatchError('transfer\'s token', token, ask.fromToken);
  if (amount !== quote.amountIn) throw mismatchError('transfer\'s amount', amount, quote.amountIn);
  const error = wrongDecimals(chainId, token, decimals);
  if (error) throw error;
  if (read(depositAddress) !== address) throw mismatchError('transfer\'s address', depositAddress, address);
  const link = source ?? (/^0x0+$/.test(is) ? `ethereum:${depositAddress}@${chainId}?value=${amount}`
    : `ethereum:${token}@${chainId}/transfer?address=${depositAddress}&uint256=${amount}`);
  for (const text of [qrPayload ?? link, paymentUri ?? link]) {
    // A Solana link has further parameters for the amount; an excess amount is refunded.
    if (![depositAddress, link].includes(text) && !text.startsWith(`solana:${depositAddress}?`)) throw mismatchError('transfer\'s link', text, link);
  }
}
