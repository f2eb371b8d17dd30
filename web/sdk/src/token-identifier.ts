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

/**
 * Parses a token identifier: `eip155:<chain id>:<address>`, `solana:<reference>:<mint>`, `{ chainId, address }`, or that object as JSON.
 *
 * Throws a `TypeError` for any other input.
 */
export function parseTokenIdentifier(input: string | TokenIdentifier): TokenIdentifier {
  const invalid = (problem: string) => new TypeError(`Invalid token identifier ${JSON.stringify(input)}: ${problem}.`);
  const check = (chainId: unknown, address: unknown): TokenIdentifier => {
    if (!Number.isSafeInteger(chainId) || (chainId as number) <= 0) throw invalid('the chain id must be a positive integer');
    const isAddress = typeof address === 'string' && (chainId === SOLANA_CHAIN_ID ? SOLANA : EVM).test(address);
    if (!isAddress) throw invalid(`the address is not valid on chain ${String(chainId)}`);
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
  if (namespace === 'eip155') return check(/^[1-9]\d*$/.test(reference!) ? Number(reference) : 0, address);
  if (namespace !== 'solana') throw invalid('it must start with eip155: or solana:');
  if (reference !== SOLANA_REFERENCE) throw invalid('only Solana mainnet is supported');
  return check(SOLANA_CHAIN_ID, address);
}
