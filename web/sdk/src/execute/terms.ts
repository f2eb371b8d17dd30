import type { Terms } from '../generated/types.js';
import { OPEN, TYPE_HASH } from './contracts.js';

/** A field of a type as EIP-712 writes it. */
export interface Field {
  name: string;
  type: string;
}

/** Reads the fields of a type from its text. */
export const fields = (text: string): Field[] => text.split(',').map((field) => {
  const [type, name] = field.split(' ');
  return { name: name!, type: type! };
});

/** The terms in the order in which they are hashed. */
export const TERMS = fields(
  'uint256 version,uint256 originChainId,bytes32 escrow,bytes32 user,bytes32 nonce,bytes32 inputToken,uint256 amountIn,bytes32 refundTo,'
  + 'bytes32 filler,bytes32 payee,bytes32 referrer,uint256 referrerFee,uint256 destinationChainId,bytes32 settler,bytes32 outputToken,'
  + 'uint256 amountOut,bytes32 recipient,uint256 openDeadline,uint256 fillDeadline,uint256 refundAt,uint256 epoch',
) as { name: keyof Terms; type: string }[];

/** 32 bytes in hex, without a prefix. */
export const digits = (value: string | number | bigint): string => BigInt(value).toString(16).padStart(64, '0');

/** Whether the text is a value of the type, as terms are written. */
export const fits = (text: string, type: string): boolean =>
  (type === 'uint256' ? /^\d{1,78}$/ : /^0x[0-9a-f]{64}$/i).test(text) && digits(text).length === 64;

/** The one call of the escrow that deposits for these terms. */
export const openCall = (terms: Terms): string =>
  OPEN + [32, terms.fillDeadline, TYPE_HASH, 96, TERMS.length * 32, ...TERMS.map(({ name }) => terms[name])].map(digits).join('');

/** The EVM address in a word of the terms. */
export const addressIn = (word: string): string => `0x${word.slice(26).toLowerCase()}`;
