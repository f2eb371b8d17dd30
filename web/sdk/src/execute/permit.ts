import type { Terms } from '../generated/types.js';
import { mismatchError } from './mismatch-error.js';
import { toAddress, fields, TERMS } from './terms.js';

/** The address of Permit2. ZKsync chains derive contract addresses differently. */
export const permit2 = (chainId: number): string =>
  [324, 2741].includes(chainId) ? '0x0000000000225e31d15943971f47ad3022f714fa' : '0x000000000022d473030f116ddee9f6b43ac78ba3';

/** Builds the permit that moves the input into the escrow, with the terms as its witness. */
export function buildPermit(terms: Terms): object {
  const chainId = Number(terms.originChainId);
  return {
    domain: { name: 'Permit2', chainId, verifyingContract: permit2(chainId) },
    types: {
      EIP712Domain: fields('string name,uint256 chainId,address verifyingContract'),
      PermitWitnessTransferFrom: fields(
        'TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,CausewayOrder witness',
      ),
      TokenPermissions: fields('address token,uint256 amount'),
      CausewayOrder: TERMS,
    },
    primaryType: 'PermitWitnessTransferFrom',
    message: {
      permitted: { token: toAddress(terms.inputToken), amount: terms.amountIn },
      spender: toAddress(terms.escrow),
      nonce: String(BigInt(terms.nonce)),
      deadline: terms.openDeadline,
      witness: Object.fromEntries(TERMS.map(({ name }) => [name, terms[name]])),
    },
  };
}

/** Checks that the service's permit equals the one built from the terms, which is the one that is signed. */
export function checkPermit(actual: unknown, expected: unknown, path = 'permit'): void {
  if (typeof expected !== 'object') {
    if (String(actual).toLowerCase() === String(expected).toLowerCase()) return;
    throw mismatchError(path, actual ?? 'missing', expected);
  }
  if (typeof actual !== 'object' || !actual) throw mismatchError(path, actual ?? 'missing', 'an object');
  const fields = actual as Record<string, unknown>;
  if (Array.isArray(expected)) checkPermit(fields.length, expected.length, `${path}.length`);
  for (const [name, value] of Object.entries(Object(expected))) checkPermit(fields[name], value, `${path}.${name}`);
}
