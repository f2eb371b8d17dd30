import { ServiceError } from '../errors.js';
import type { PermitDeposit, Terms } from '../generated/types.js';
import { invalidResponse } from '../request.js';
import { orderId } from '../transfer/order-id.js';
import { mismatchError } from './mismatch-error.js';
import { checkPermit } from './permit.js';
import { fields, toAddress, TERMS } from './terms.js';

const DOMAIN = 'string name,string version,uint256 chainId,address verifyingContract';

/** Builds what is signed for a deposit by the token's own signature, and checks that the service gave the same. */
export function planTokenPermit(terms: Terms, built: PermitDeposit & { kind: 'AUTHORIZATION' | 'PERMIT' }): { permit: object; order?: object } {
  const isPermit = built.kind === 'PERMIT';
  const permit = (isPermit ? buildTokenPermit : buildAuthorization)(terms, built.permit);
  checkPermit(built.permit, permit);
  if (built.approvals?.some((approval) => approval.type !== 'eip1193_request' || approval.request.method === 'eth_sendTransaction')) {
    throw invalidResponse('A signature of the token needs no approval, and the response has one.');
  }
  if (!isPermit) return { permit };
  const order = buildOrder(terms);
  checkPermit(built.order, order, 'order');
  return { permit, order };
}

/**
 * Builds the EIP-3009 authorization of the input to the escrow, with the order's id as its nonce. Name and version of the domain are
 * the service's word: with others, the token refuses the signature, and nothing else can use it.
 */
function buildAuthorization(terms: Terms, given: object): object {
  return {
    domain: tokenDomain(terms, given),
    types: {
      EIP712Domain: fields(DOMAIN),
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

/**
 * Builds the EIP-2612 permit of the input for the escrow. Name and version of the domain and the nonce are the service's word: with others,
 * the token refuses the signature, and with any, the escrow takes nothing without the signed order.
 */
function buildTokenPermit(terms: Terms, given: object): object {
  const { nonce } = Object((given as { message?: unknown }).message) as Record<string, unknown>;
  if (!/^\d{1,78}$/.test(String(nonce))) throw mismatchError('permit.message.nonce', nonce ?? 'missing', 'a number');
  return {
    domain: tokenDomain(terms, given),
    types: {
      EIP712Domain: fields(DOMAIN),
      Permit: fields('address owner,address spender,uint256 value,uint256 nonce,uint256 deadline'),
    },
    primaryType: 'Permit',
    message: {
      owner: toAddress(terms.user),
      spender: toAddress(terms.escrow),
      value: terms.amountIn,
      nonce: String(nonce),
      deadline: terms.openDeadline,
    },
  };
}

/** Builds the order in the domain of its escrow. */
function buildOrder(terms: Terms): object {
  return {
    domain: {
      name: 'Causeway Escrow',
      version: '2',
      chainId: Number(terms.originChainId),
      verifyingContract: toAddress(terms.escrow),
    },
    types: { EIP712Domain: fields(DOMAIN), CausewayOrder: TERMS },
    primaryType: 'CausewayOrder',
    message: Object.fromEntries(TERMS.map(({ name }) => [name, terms[name]])),
  };
}

/** Two signatures as one: a token takes 65 bytes and no other form, so that the second begins where those end. */
export async function signBoth(sign: (data: object) => Promise<string>, permitData: object, order: object): Promise<string> {
  const permit = await sign(permitData);
  if (!/^0x[0-9a-f]{130}$/i.test(permit)) {
    throw new ServiceError('The wallet\'s signature of the permit does not have the 65 bytes that the token takes; deposit by another method.', 'SVC3007');
  }
  return permit + (await sign(order)).slice(2);
}

function tokenDomain(terms: Terms, given: object): object {
  const domain = Object((given as { domain?: unknown }).domain) as Record<string, unknown>;
  const text = (name: string): string => {
    const value = domain[name];
    if (typeof value !== 'string') throw mismatchError(`permit.domain.${name}`, 'missing', 'a text');
    return value;
  };
  return {
    name: text('name'),
    version: text('version'),
    chainId: Number(terms.originChainId),
    verifyingContract: toAddress(terms.inputToken),
  };
}
