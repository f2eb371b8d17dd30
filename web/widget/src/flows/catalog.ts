import {
  autocomplete, getBalances, getChains, getStatus, getTopTokens, parseTokenIdentifier, searchTokens,
  type AutocompleteItem, type Chain, type Client, type Token,
} from '@causeway/sdk';
import { formatUnits, short, usdOf } from '../amounts.js';
import type { TokenInput } from '../public.js';
import type { ChainFamily, Family } from '../wallets/account.js';

/** A token that amounts can be written of. */
export type KnownToken = Token & { symbol: string; decimals: number };

/** A sentence that names an amount and two tokens, or one of them. */
export interface Sentence {
  token: KnownToken;
  fromToken: KnownToken | undefined;
  toToken: KnownToken | undefined;
  amount: string;
  description: string;
}

/** A token without a name is known by its address; one without decimals has no amounts and is left out. */
export function known(token: Token | null | undefined): KnownToken | undefined {
  return token?.decimals == null ? undefined : { ...token, decimals: token.decimals, symbol: token.symbol ?? short(token.address) };
}

const allKnown = (tokens: readonly Token[]): KnownToken[] => tokens.flatMap((token) => known(token) ?? []);

/** A token by chain and address, as a key of maps. */
export const keyOf = ({ chainId, address }: { chainId: number; address: string }): string =>
  `${chainId}:${address.startsWith('0x') ? address.toLowerCase() : address}`;

/** Chains and tokens as the service has them, and what the accounts hold. */
export class Catalog {
  /** Those to choose from. */
  chains = new Map<number, Chain>();
  /** All that the service has, for the names in orders. */
  all = new Map<number, Chain>();
  top: KnownToken[] = [];
  /** Whether the service moves play money. */
  isSandbox = false;
  #curated = new Set<string>();
  #names = new Set<string>();
  /** Chains that did not say what an account holds. */
  #silent = new Map<Family, readonly number[]>();
  #balances = new Map<Family, Map<string, KnownToken>>();
  readonly #client: Client;
  readonly #allowed: readonly number[] | undefined;

  constructor(client: Client, allowed: readonly number[] | undefined) {
    this.#client = client;
    this.#allowed = allowed;
  }

  /** Chains that swaps only begin on are offered where somebody may be paid on them: at an address, by a transfer. */
  async load(hasPayees = false): Promise<void> {
    const query = { chainIds: this.#allowed };
    const [chains, top, status] = await Promise.all([getChains(this.#client), getTopTokens(this.#client, query), getStatus(this.#client).catch(() => undefined)]);
    this.all = new Map(chains.map((chain) => [chain.id, chain]));
    const offered = chains.filter(({ id, enabled }) => enabled !== false && (hasPayees || !this.isSource(id)) && (this.#allowed?.includes(id) ?? true));
    this.chains = new Map(offered.map((chain) => [chain.id, chain]));
    this.top = allKnown(top).filter(({ chainId }) => this.chains.has(chainId));
    this.#curated = new Set(this.top.map(keyOf));
    this.#names = new Set(this.top.map(({ symbol }) => skeleton(symbol)));
    this.isSandbox = status?.mode === 'sandbox';
  }

  familyOf(chainId: number | undefined): ChainFamily {
    return (this.all.get(chainId ?? 0)?.type ?? 'eip155') as ChainFamily;
  }

  /** Whether swaps only begin on this chain. */
  isSource = (chainId: number | undefined): boolean => !/^(eip|sol)/.test(this.familyOf(chainId));

  /** The token that any of the four forms names, as the service has it; nothing where the service does not know it. */
  async resolve(input: TokenInput): Promise<KnownToken | undefined> {
    const asked = parseTokenIdentifier(input);
    if (this.isSource(asked.chainId) && !this.chains.has(asked.chainId)) return undefined;
    const listed = this.top.find((token) => keyOf(token) === keyOf(asked));
    if (listed) return listed;
    // The service also knows the coin by the address of 40 times `e`, and answers with its own.
    const found = await searchTokens(this.#client, { q: asked.address, chainIds: [asked.chainId] });
    return known(found.find(({ chainId }) => chainId === asked.chainId));
  }

  async loadBalances(family: Family, address: string): Promise<void> {
    const { tokens, silentChains } = await getBalances(this.#client, address, { chainIds: this.#allowed });
    this.#silent.set(family, silentChains);
    this.#balances.set(family, new Map(allKnown(tokens).map((token) => [keyOf(token), token])));
  }

  forgetBalances(family: Family): void {
    this.#balances.delete(family);
  }

  /** Raw units, zero where the account holds none, nothing where that is not known. */
  balanceOf(token: Token): bigint | undefined {
    const family = this.familyOf(token.chainId) as Family;
    const held = this.#balances.get(family);
    const balance = held?.get(keyOf(token))?.extensions?.balance;
    return held && (balance != null || !this.#silent.get(family)?.includes(token.chainId)) ? BigInt(balance ?? 0) : undefined;
  }

  /** What the accounts hold, most valuable first, and then the well-known tokens. */
  listed(chainId: number | undefined): KnownToken[] {
    const held = [...this.#balances.values()].flatMap((tokens) => [...tokens.values()]).filter((token) => this.chains.has(token.chainId));
    const worth = (token: KnownToken) => usdOf(token.extensions?.balance ?? '0', token) ?? 0;
    const seen = new Set(held.map(keyOf));
    const all = [...held.sort((a, b) => worth(b) - worth(a)), ...this.top.filter((token) => !seen.has(keyOf(token)))];
    return chainId === undefined ? all : all.filter((token) => token.chainId === chainId);
  }

  async search(text: string, chainId: number | undefined, signal: AbortSignal): Promise<{ tokens: KnownToken[]; sentences: Sentence[] }> {
    const chainIds = chainId === undefined ? this.#allowed : [chainId];
    const [tokens, understood] = await Promise.all([
      searchTokens(this.#client, { q: text, chainIds }, { signal }),
      autocomplete(this.#client, text, { chainIds, limit: 6 }, { signal }).catch(() => undefined),
    ]);
    // Where swaps only begin, a token is chosen by itself.
    const isUsual = (token: Token | undefined) => !token || !this.isSource(token.chainId);
    const sentences = understood?.data?.flatMap((item) => sentenceOf(item) ?? []).filter(({ token, fromToken, toToken }) => [token, fromToken, toToken].every(isUsual)) ?? [];
    return { tokens: allKnown(tokens).filter((token) => this.chains.has(token.chainId)), sentences };
  }

  /** Whether a token bears the name of a well-known one without being it. */
  isLookAlike(token: KnownToken): boolean {
    return !this.#curated.has(keyOf(token)) && this.#names.has(skeleton(token.symbol));
  }

  explorerLink(chainId: number | undefined, txHash: string): string | undefined {
    const base = this.all.get(chainId ?? 0)?.explorerUrl;
    return base && /^https?:/.test(base) ? `${base.replace(/\/+$/, '')}/tx/${txHash}` : undefined;
  }
}

/** What an understood item means as a swap; nothing where it names no second token. */
export function sentenceOf(item: AutocompleteItem): Sentence | undefined {
  const [token, fromToken, toToken] = [known(item.token), known(item.fromToken), known(item.toToken)];
  const { amount, description } = item;
  if (!token || !amount || !(fromToken ?? toToken)) return undefined;
  return { token, fromToken, toToken, amount, description: description ?? `${formatUnits(amount, token.decimals)} ${token.symbol}` };
}

/** What the eye makes of a symbol: letters that look alike are one. */
export function skeleton(symbol: string): string {
  const alike: Record<string, string> = { '0': 'o', '1': 'l', 'i': 'l', '$': 's', '5': 's', 'а': 'a', 'с': 'c', 'е': 'e', 'о': 'o', 'р': 'p', 'ѕ': 's', 'т': 't', 'і': 'l' };
  return Array.from(symbol.normalize('NFKD').toLowerCase(), (letter) => alike[letter] ?? letter).join('').replace(/[^\p{L}\p{N}]/gu, '');
}
