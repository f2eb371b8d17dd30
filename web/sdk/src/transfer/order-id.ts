import { TYPE_HASH } from '../execute/contracts.js';
import { encodeWord, TERMS } from '../execute/terms.js';
import type { Terms } from '../generated/types.js';
import { keccak256 } from './keccak.js';

/** The on-chain id of an order with these terms, in hex without a prefix. */
export const orderId = (terms: Terms): string => keccak256([TYPE_HASH, ...TERMS.map(({ name }) => terms[name])].map(encodeWord).join(''));
