/** A token by its chain and address. */
export interface TokenIdentifier {
  chainId: number;
  address: string;
}

/** By which the service knows Solana, which numbers no chains itself. */
export const SOLANA_CHAIN_ID = 20_011_000_000;
/** The chain reference of Solana's main network. */
export const SOLANA_REFERENCE = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

const EVM = /^0x[0-9a-fA-F]{40}$/;
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Reads a token as `eip155:<chain id>:<address>`, `solana:<reference>:<mint>`, `{ chainId, address }`, or that object as JSON text.
 *
 * Anything else is a `TypeError` that says what is wrong.
 */
export function parseTokenIdentifier(input: string | TokenIdentifier): TokenIdentifier {
  const bad = (problem: string) => new TypeError(`${JSON.stringify(input)} names no token: ${problem}.`);
  const check = (chainId: unknown, address: unknown): TokenIdentifier => {
    if (!Number.isSafeInteger(chainId) || (chainId as number) <= 0) throw bad('the chain id must be a positive integer');
    const fits = typeof address === 'string' && (chainId === SOLANA_CHAIN_ID ? SOLANA : EVM).test(address);
    if (!fits) throw bad(`the address must be one of chain ${String(chainId)}`);
    return { chainId: chainId as number, address };
  };
  if (typeof input !== 'string') return check(Object(input).chainId, Object(input).address);
  const text = input.trim();
  if (text.startsWith('{')) {
    let object: Partial<TokenIdentifier>;
    try {
      object = JSON.parse(text) as Partial<TokenIdentifier>;
    } catch {
      throw bad('it is not JSON');
    }
    return check(object.chainId, object.address);
  }
  const [namespace, reference, address, ...more] = text.split(':');
  if (more.length > 0 || address === undefined) throw bad('it must have three parts between colons');
  if (namespace === 'eip155') return check(/^[1-9]\d*$/.test(reference!) ? Number(reference) : 0, address);
  if (namespace !== 'solana') throw bad('it must begin with eip155: or solana:');
  if (reference !== SOLANA_REFERENCE) throw bad('only Solana\'s main network is known');
  return check(SOLANA_CHAIN_ID, address);
}
