import { checkRoute, checkTerms } from '../execute/check-deposit.js';
import { other } from '../execute/other.js';
import { digits, TERMS, TYPE_HASH } from '../execute/terms.js';
import { word } from '../execute/words.js';
import type { QuoteAsk, RouteQuote, Terms, Transfer, TransferDeposit } from '../generated/types.js';
import { keccak256 } from './keccak.js';
import { programAddress } from './program-address.js';

/** The contract that makes deposit addresses, and the hash of their code: the same on every chain where transfers are offered. */
const FACTORY = '18c1fcd9cd2ec323ab78c4b62fbdafac98c05e55';
const ADDRESS_CODE = '8356e3766a89d0b23373d3cf52894f7f3d41646b376035088fafa6895fb58f00';

/**
 * Holds a plain transfer against what was asked for, before anybody sends it: the route, the terms, token, amount and chain, the deposit
 * address, which belongs to exactly these terms, and the payment link with it. What differs is thrown as `SVC3003`.
 *
 * `escrow` is the one that you trust on the source chain; without it the service is believed. A picture of a code cannot be checked:
 * draw `qrPayload` yourself.
 */
export async function checkTransfer(ask: QuoteAsk, quote: RouteQuote, deposit: TransferDeposit, escrow?: string): Promise<void> {
  checkRoute(ask, quote);
  checkTerms(ask, quote, deposit, escrow === undefined ? undefined : { [ask.fromChainId]: escrow });
  const address = await addressFor(deposit.terms, /^0x/i.test(ask.fromAddress));
  for (const transfer of [deposit, deposit.deposit]) check(ask, quote, transfer, address);
}

function check(ask: QuoteAsk, quote: RouteQuote, transfer: Transfer, address: string): void {
  const { depositAddress, amount, token, chainId, qrPayload, paymentUri } = transfer;
  if (chainId !== ask.fromChainId) throw other('transfer\'s chain', chainId, ask.fromChainId);
  if (word(token) === undefined || word(token) !== word(ask.fromToken)) throw other('transfer\'s token', token, ask.fromToken);
  if (amount !== quote.amountIn) throw other('transfer\'s amount', amount, quote.amountIn);
  if (word(depositAddress) !== address) throw other('transfer\'s address', depositAddress, address);
  const native = BigInt(word(token)!) === 0n;
  const link = native ? `ethereum:${depositAddress}@${chainId}?value=${amount}`
    : `ethereum:${token}@${chainId}/transfer?address=${depositAddress}&uint256=${amount}`;
  for (const text of [qrPayload, paymentUri ?? link]) {
    // What else a link of Solana's says concerns the amount, and too much of it comes back.
    if (![depositAddress, link].includes(text) && !text.startsWith(`solana:${depositAddress}?`)) throw other('transfer\'s link', text, link);
  }
}

/** The word of the address that belongs to an order with these terms. */
async function addressFor(terms: Terms, evm: boolean): Promise<string> {
  const id = keccak256([TYPE_HASH, ...TERMS.map(({ name }) => terms[name])].map(digits).join(''));
  if (!evm) return `0x${await programAddress('deposit', id, terms.escrow.slice(2))}`;
  return `0x${'0'.repeat(24)}${keccak256(`ff${FACTORY}${id}${ADDRESS_CODE}`).slice(24)}`;
}
