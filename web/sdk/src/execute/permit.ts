import type { Terms } from '../generated/types.js';
import { other } from './other.js';
import { addressIn, fields, TERMS } from './terms.js';

/** Where Permit2 lies on a chain. The ZKsync stack derives other addresses than the rest. */
export const permit2 = (chainId: number): string =>
  [324, 2741].includes(chainId) ? '0x0000000000225e31d15943971f47ad3022f714fa' : '0x000000000022d473030f116ddee9f6b43ac78ba3';

/** The permit that moves what the terms say into their escrow, with all of them as its witness. */
export function permitOf(terms: Terms): object {
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
      permitted: { token: addressIn(terms.inputToken), amount: terms.amountIn },
      spender: addressIn(terms.escrow),
      nonce: String(BigInt(terms.nonce)),
      deadline: terms.openDeadline,
      witness: Object.fromEntries(TERMS.map(({ name }) => [name, terms[name]])),
    },
  };
}

/** Says where the service's permit is another than the one that the terms give, which is the one to be signed. */
export function checkPermit(is: unknown, wanted: unknown, at = 'permit'): void {
  if (typeof wanted !== 'object') {
    if (String(is).toLowerCase() === String(wanted).toLowerCase()) return;
    throw other(at, is ?? 'missing', wanted);
  }
  if (typeof is !== 'object' || !is) throw other(at, is ?? 'missing', 'an object');
  const given = is as Record<string, unknown>;
  if (Array.isArray(wanted)) checkPermit(given.length, wanted.length, `${at}.length`);
  for (const [name, value] of Object.entries(Object(wanted))) checkPermit(given[name], value, `${at}.${name}`);
}
