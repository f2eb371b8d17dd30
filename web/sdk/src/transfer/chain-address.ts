import { toBytes32 } from '../execute/bytes32.js';
import type { Payment } from '../generated/types.js';

/** Chains that swaps only begin on, by a transfer to a provider's address. */
export const BITCOIN = 8253038;
export const TRON = 728126428;

/** What stands for their coins. */
const COINS: Record<number, string> = { [BITCOIN]: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs', [TRON]: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb' };

const FORMS: Record<number, RegExp> = {
  [BITCOIN]: /^([13][1-9A-HJ-NP-Za-km-z]{25,34}|bc1[02-9ac-hj-np-z]{39,59})$/,
  [TRON]: /^T[1-9A-HJ-NP-Za-km-z]{33}$/,
};

/**
 * An address of the chain as something to compare: 32 bytes of hex on EVM chains and Solana, and its one spelling elsewhere. Zero stands for
 * the coin. `undefined` if it has not the form of the chain. Checksums are the wallet's to check, which refuses to pay a wrong one.
 */
export function onChain(chainId: number, address: string): string | undefined {
  const form = FORMS[chainId];
  if (!form) return toBytes32(address);
  const text = /^BC1[0-9A-Z]+$/.test(address) ? address.toLowerCase() : address;
  if (text === COINS[chainId]) return '0x0';
  return form.test(text) ? text : undefined;
}

/** The payment link of a transfer on a chain that swaps only begin on: Bitcoin's own, in bitcoin, or the address alone; `undefined` elsewhere. */
export function sourceLink({ depositAddress, chainId, amount = '' }: Payment): string | undefined {
  if (chainId === TRON) return depositAddress;
  if (chainId !== BITCOIN) return undefined;
  const padded = amount.padStart(9, '0');
  const value = `${padded.slice(0, -8)}.${padded.slice(-8)}`.replace(/\.?0+$/, '');
  return `bitcoin:${depositAddress}?amount=${value}`;
}
