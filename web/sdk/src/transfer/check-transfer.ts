import { beyond, limitOf, unbounded, type Bound } from '../execute/bound.js';
import { checkRoute, checkTerms } from '../execute/check-deposit.js';
import { ADDRESS_CODE, FACTORY, KNOWN_ESCROWS, type Escrows } from '../execute/contracts.js';
import { wrongDecimals } from '../execute/decimals.js';
import { other } from '../execute/other.js';
import { word } from '../execute/words.js';
import type { QuoteAsk, RouteQuote, Terms, Transfer, TransferDeposit } from '../generated/types.js';
import { unlike } from '../request.js';
import { keccak256 } from './keccak.js';
import { orderId } from './order-id.js';
import { programAddress, textSeed } from './program-address.js';

/** What a caller brings of its own: how bad the price may be, and whom money may go to. */
export interface TransferTrust extends Bound {
  /** The escrow of each source chain; without it only published deployments are trusted. */
  escrows?: Escrows | undefined;
}

/**
 * Holds a plain transfer against what was asked for, before anybody sends it: the route, the terms, token, amount and chain, the deposit
 * address, which belongs to exactly these terms, and the payment link with it. What differs is thrown as `SVC3003`.
 *
 * A picture of a code cannot be checked: draw `qrPayload` yourself.
 */
export async function checkTransfer(ask: QuoteAsk, quote: RouteQuote, deposit: TransferDeposit, trust: TransferTrust): Promise<void> {
  const limit = await limitOf(ask, trust);
  if (!limit) throw unbounded(ask);
  checkRoute(ask, quote);
  const bad = beyond(limit, quote);
  if (bad) throw unlike(`The route is not the one asked for: its ${bad}.`);
  const terms = checkTerms(ask, quote, deposit, (trust.escrows ?? KNOWN_ESCROWS)[ask.fromChainId]);
  const address = await addressFor(terms, /^0x/i.test(ask.fromAddress));
  for (const transfer of deposit.deposit ? [deposit, deposit.deposit] : [deposit]) check(ask, quote, transfer, address);
}

function check(ask: QuoteAsk, quote: RouteQuote, transfer: Transfer, address: string): void {
  const { depositAddress, amount, token = '', chainId, decimals, qrPayload, paymentUri } = transfer;
  if (chainId !== ask.fromChainId) throw other('transfer\'s chain', chainId, ask.fromChainId);
  if (word(token) === undefined || word(token) !== word(ask.fromToken)) throw other('transfer\'s token', token, ask.fromToken);
  if (amount !== quote.amountIn) throw other('transfer\'s amount', amount, quote.amountIn);
  const lie = wrongDecimals(chainId, token, decimals);
  if (lie) throw lie;
  if (word(depositAddress) !== address) throw other('transfer\'s address', depositAddress, address);
  const native = BigInt(word(token)!) === 0n;
  const link = native ? `ethereum:${depositAddress}@${chainId}?value=${amount}`
    : `ethereum:${token}@${chainId}/transfer?address=${depositAddress}&uint256=${amount}`;
  for (const text of [qrPayload ?? link, paymentUri ?? link]) {
    // What else a link of Solana's says concerns the amount, and too much of it comes back.
    if (![depositAddress, link].includes(text) && !text.startsWith(`solana:${depositAddress}?`)) throw other('transfer\'s link', text, link);
  }
}

/** The word of the address that belongs to an order with these terms. */
async function addressFor(terms: Terms, evm: boolean): Promise<string> {
  const id = orderId(terms);
  if (!evm) return `0x${await programAddress([textSeed('deposit'), id], terms.escrow.slice(2))}`;
  return `0x${'0'.repeat(24)}${keccak256(`ff${FACTORY}${id}${ADDRESS_CODE}`).slice(24)}`;
}
