import { toBytes32 } from '../execute/bytes32.js';
import { wrongDecimals } from '../execute/decimals.js';
import { mismatchError } from '../execute/mismatch-error.js';
import type { Payment, QuoteAsk, RouteQuote } from '../generated/types.js';

/** Checks token, amount, chain, address and link of a transfer. The address is 32 bytes of hex. */
export function checkPayment(ask: QuoteAsk, quote: RouteQuote, transfer: Payment, address: string): void {
  const { depositAddress, amount, token = '', chainId, decimals, qrPayload, paymentUri } = transfer;
  if (chainId !== ask.fromChainId) throw mismatchError('transfer\'s chain', chainId, ask.fromChainId);
  if (toBytes32(token) === undefined || toBytes32(token) !== toBytes32(ask.fromToken)) throw mismatchError('transfer\'s token', token, ask.fromToken);
  if (amount !== quote.amountIn) throw mismatchError('transfer\'s amount', amount, quote.amountIn);
  const error = wrongDecimals(chainId, token, decimals);
  if (error) throw error;
  if (toBytes32(depositAddress) !== address) throw mismatchError('transfer\'s address', depositAddress, address);
  const native = BigInt(toBytes32(token)!) === 0n;
  const link = native ? `ethereum:${depositAddress}@${chainId}?value=${amount}`
    : `ethereum:${token}@${chainId}/transfer?address=${depositAddress}&uint256=${amount}`;
  for (const text of [qrPayload ?? link, paymentUri ?? link]) {
    // A Solana link has further parameters for the amount; an excess amount is refunded.
    if (![depositAddress, link].includes(text) && !text.startsWith(`solana:${depositAddress}?`)) throw mismatchError('transfer\'s link', text, link);
  }
}
