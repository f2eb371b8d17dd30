import type { Terms } from '../generated/types.js';
import { orderId } from '../transfer/order-id.js';
import { mismatchError } from './mismatch-error.js';
import { fields, toAddress } from './terms.js';

/**
 * Builds the EIP-3009 authorization of the input to the escrow, with the order's id as its nonce. Name and version of the domain are
 * the service's word: with others, the token refuses the signature, and nothing else can use it.
 */
export function buildAuthorization(terms: Terms, given: object): object {
  const domain = Object((given as { domain?: unknown }).domain) as Record<string, unknown>;
  const text = (name: string): string => {
    const value = domain[name];
    if (typeof value !== 'string') throw mismatchError(`permit.domain.${name}`, 'missing', 'a text');
    return value;
  };
  return {
    domain: {
      name: text('name'),
      version: text('version'),
      chainId: Number(terms.originChainId),
      verifyingContract: toAddress(terms.inputToken),
    },
    types: {
      EIP712Domain: fields('string name,string version,uint256 chainId,address verifyingContract'),
      ReceiveWithAuthorization: fields(
        'address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce',
      ),
    },
    primaryType: 'ReceiveWithAuthorization',
    message: {
      from: toAddress(terms.user),
      to: toAddress(terms.escrow),
      value: terms.amountIn,
      validAfter: '0',
      validBefore: String(BigInt(terms.openDeadline) + 1n),
      nonce: `0x${orderId(terms)}`,
    },
  };
}
