import { BITCOIN, onChain, TRON } from './transfer/chain-address.js';

/** A token by its chain and address. */
export interface TokenIdentifier {
  chainId: number;
  address: string;
}

/** The service's chain id for Solana, which has no numeric chain id of its own. */
export const SOLANA_CHAIN_ID = 20_011_000_000;
/** The CAIP-2 reference of Solana mainnet. */
export const SOLANA_REFERENCE = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

const EVM = /^0x[0-9a-fA-F]{40}$/;
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
/** The chains that have no number of their own: the CAIP-2 reference of the main network, and the service's chain id. */
const NAMED: Record<string, readonly [string, number]> = {
  solana: [SOLANA_REFERENCE, SOLANA_CHAIN_ID],
  bip122: ['000000000019d6689c085ae165831e93', BITCOIN],
  tron: ['0x2b6653dc', TRON],
};
const isNamed = (chainId: number): boolean => Object.values(NAMED).some(([, id]) => id === chainId);

/** Whether the address has the form of the chain; checksums are the service's to check. */
function isAddress(chainId: number, address: string): boolean {
  if (chainId === SOLANA_CHAIN_ID) return SOLANA.test(address);
  return isNamed(chainId) ? onChain(chainId, address) !== undefined : EVM.test(address);
}

/**
 * Parses a token identifier: `eip155:<chain id>:<address>`, `solana:<reference>:<mint>`, `bip122:…` for Bitcoin, `tron:…`,
 * `{ chainId, address }`, or that object as JSON.
 *
 * Throws a `TypeError` for any other input.
 */
export function parseTokenIdentifier(input: string | TokenIdentifier): TokenIdentifier {
  const invalid = (problem: string) => new TypeError(`Invalid token identifier ${JSON.stringify(input)}: ${problem}.`);
  const check = (chainId: unknown, address: unknown): TokenIdentifier => {
    if (!Number.isSafeInteger(chainId) || (chainId as number) <= 0) throw invalid('the chain id must be a positive integer');
    if (typeof address !== 'string' || !isAddress(chainId as number, address)) throw invalid(`the address is not valid on chain ${String(chainId)}`);
    return { chainId: chainId as number, address };
  };
  if (typeof input !== 'string') return check(Object(input).chainId, Object(input).address);
  const text = input.trim();
  if (text.startsWith('{')) {
    let object: Partial<TokenIdentifier>;
    try {
      object = JSON.parse(text) as Partial<TokenIdentifier>;
    } catch {
      throw invalid('it is not valid JSON');
    }
    return check(object.chainId, object.address);
  }
  const [namespace, reference, address, ...more] = text.split(':');
  if (more.length > 0 || address === undefined) throw invalid('it must have three parts, separated by colons');
  if (namespace === 'eip155') {
    const chainId = /^[1-9]\d*$/.test(reference!) ? Number(reference) : 0;
    return check(isNamed(chainId) ? 0 : chainId, address);
  }
  const [main, chainId] = NAMED[namespace!] ?? [];
  if (!chainId) throw invalid('it must start with eip155:, solana:, bip122: or tron:');
  if (reference !== main) throw invalid('only the main network is supported');
  return check(chainId, address);
}
