import { canonical, compareAddresses, isNative } from './address.mjs';
import { goodDecimals, goodName, goodSymbol, tidy } from './text.mjs';

// Where lists are long and full of the dead, a token must be known on another chain too, or to three lists.
const CROWDED = new Set([1, 56, 137]);
// Where lists are long, two of them must know a token.
const BUSY = new Set([8453, 42161, 20011000000]);

export const HEADER = 'chain_id\taddress\tsymbol\tname\tdecimals';

/** Brings what every source says about one token together, under `chainId:address`. */
export function gather(chains, sources) {
  const family = new Map(chains.map((chain) => [chain.id, chain.family]));
  const candidates = new Map();
  for (const source of sources) {
    for (const token of source.tokens) {
      if (!family.has(token.chainId)) continue;
      const address = canonical(family.get(token.chainId), token.address);
      if (!address || isNative(address)) continue;
      const key = `${token.chainId}:${address}`;
      const candidate = candidates.get(key) ?? {
        chainId: token.chainId, address, witnesses: new Set(), decimals: new Set(), said: [], official: false, careful: false,
      };
      candidates.set(key, candidate);
      for (const witness of token.seenIn ?? [source.name]) candidate.witnesses.add(witness);
      candidate.official ||= Boolean(source.official);
      candidate.careful ||= Boolean(source.careful);
      if (token.decimals !== undefined) candidate.decimals.add(token.decimals);
      const said = { symbol: tidy(token.symbol), name: tidy(token.name) };
      if (goodSymbol(said.symbol) && goodName(said.name)) candidate.said.push(said);
    }
  }
  return candidates;
}

// Some lists write every symbol in capitals; another spelling of the same word knows more.
function bestSymbol(said) {
  const first = said[0].symbol;
  const same = said.filter(({ symbol }) => symbol.toLowerCase() === first.toLowerCase());
  return (same.find(({ symbol }) => symbol !== symbol.toUpperCase()) ?? same[0]).symbol;
}

// A token of the same symbol, name and decimals: most likely the same thing on another chain.
function identities(candidate) {
  const decimals = [...candidate.decimals].join();
  return candidate.said.map(({ symbol, name }) => `${symbol}|${name}|${decimals}`.toLowerCase());
}

function chainsByIdentity(candidates) {
  const out = new Map();
  for (const candidate of candidates.values()) {
    if (!candidate.careful) continue;
    for (const identity of identities(candidate)) {
      if (!out.has(identity)) out.set(identity, new Set());
      out.get(identity).add(candidate.chainId);
    }
  }
  return out;
}

function isKnownElsewhere(candidate, seenOn) {
  return identities(candidate).some((identity) => [...(seenOn.get(identity) ?? [])].some((id) => id !== candidate.chainId));
}

function worthKeeping(candidate, knownElsewhere) {
  const count = candidate.witnesses.size;
  if (candidate.official) return true;
  if (CROWDED.has(candidate.chainId)) return count >= 3 || (count === 2 && knownElsewhere);
  if (BUSY.has(candidate.chainId)) return count >= 2;
  return count >= 2 || candidate.careful || knownElsewhere;
}

/** Chooses the tokens of the catalog; curated ones are always in, as top.toml writes them. */
export function select(candidates, curated) {
  const chosen = new Map(curated.map((token) => [`${token.chainId}:${token.address}`, token]));
  const seenOn = chainsByIdentity(candidates);
  const dropped = { decimals: 0, text: 0, obscure: 0 };
  for (const [key, candidate] of candidates) {
    if (chosen.has(key)) continue;
    const [decimals] = candidate.decimals;
    if (!worthKeeping(candidate, isKnownElsewhere(candidate, seenOn))) dropped.obscure += 1;
    else if (candidate.decimals.size !== 1 || !goodDecimals(decimals)) dropped.decimals += 1;
    else if (candidate.said.length === 0) dropped.text += 1;
    else {
      chosen.set(key, {
        chainId: candidate.chainId, address: candidate.address, symbol: bestSymbol(candidate.said), name: candidate.said[0].name, decimals,
      });
    }
  }
  const tokens = [...chosen.values()].sort((a, b) => a.chainId - b.chainId || compareAddresses(a.address, b.address));
  return { tokens, dropped };
}

/** Prints tokens.tsv. */
export function render(tokens) {
  const rows = tokens.map(({ chainId, address, symbol, name, decimals }) => [chainId, address, symbol, name, decimals].join('\t'));
  return `${[HEADER, ...rows].join('\n')}\n`;
}
