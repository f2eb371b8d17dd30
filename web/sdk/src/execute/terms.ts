import type { Terms } from '../generated/types.js';
import { OPEN, TYPE_HASH } from './contracts.js';

/** A field of an EIP-712 type. */
export interface Field {
  name: string;
  type: string;
}

/** Parses the fields of an EIP-712 type. */
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

/** Encodes a number as 32 bytes of hex, without a prefix. */
export const encodeWord = (value: string | number | bigint): string => BigInt(value).toString(16).padStart(64, '0');

/** Whether the text is a term of the given type. */
export const isOfType = (text: string, type: string): boolean =>
  (type === 'uint256' ? /^\d{1,78}$/ : /^0x[0-9a-f]{64}$/i).test(text) && encodeWord(text).length === 64;

/** The calldata of `open` for these terms. */
export const openCall = (terms: Terms): string =>
  OPEN + [32, terms.fillDeadline, TYPE_HASH, 96, TERMS.length * 32, ...TERMS.map(({ name }) => terms[name])].map(encodeWord).join('');

/** The EVM address in a 32-byte term. */
export const toAddress = (word: string): string => `0x${word.slice(26).toLowerCase()}`;
