import { keccak256 as hashHex } from '../../../sdk/src/transfer/keccak.js';
import { fromHex, toHex } from './rlp.js';

/** The SDK's own Keccak-256, of bytes and to bytes. */
export const keccak256 = (bytes: Uint8Array): Uint8Array => fromHex(hashHex(toHex(bytes).slice(2)));
