import type { Terms } from '@causeway/sdk';
import { encodeWord, TERMS } from '../../../sdk/src/execute/terms.js';
import type { Account } from '../wallets/account.js';

/** `refund` of the escrow, which anybody may call after `refundAt`; its argument is the order's terms in their sequence. */
const REFUND = '0xc7ffffea';

const MEMORY = 'causeway-terms-';

/** Keeps what a refund without the service needs, on the device that deposited. */
export function keepTerms(orderId: string, terms: Terms): void {
  try {
    localStorage.setItem(MEMORY + orderId, JSON.stringify(terms));
  } catch {
    // Without storage the escrow's own event still has the terms.
  }
}

export function forgetTerms(orderId: string): void {
  try {
    localStorage.removeItem(MEMORY + orderId);
  } catch {
    // There was nothing to forget.
  }
}

/** The terms of an order that this device deposited for on an EVM chain. */
export function keptTerms(orderId: string): Terms | undefined {
  try {
    const terms = JSON.parse(localStorage.getItem(MEMORY + orderId) ?? 'null') as Terms | null;
    return terms && TERMS.every(({ name }) => typeof terms[name] === 'string') && /^0x0{24}/.test(terms.escrow) ? terms : undefined;
  } catch {
    return undefined;
  }
}

/** From when on the deposit can be taken back by anybody, in milliseconds. */
export const dueOf = (terms: Terms): number => Number(terms.refundAt) * 1000;

export const refundCall = (terms: Terms): string => REFUND + TERMS.map(({ name }) => encodeWord(terms[name])).join('');

/** Has the wallet send the deposit back to its refund address. The escrow decides: too early, or after a claim, it refuses. */
export async function takeBack(terms: Terms, { wallet, address }: Account): Promise<void> {
  if (!('request' in wallet)) return;
  const chainId = `0x${BigInt(terms.originChainId).toString(16)}`;
  await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  await wallet.request({ method: 'eth_sendTransaction', params: [{ from: address, to: `0x${terms.escrow.slice(26)}`, data: refundCall(terms), value: '0x0', chainId }] });
}
