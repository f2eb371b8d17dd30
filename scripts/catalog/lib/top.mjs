import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { canonical } from './address.mjs';
import { goodDecimals, goodName, goodSymbol } from './text.mjs';

/**
 * Reads top.toml into assets and their deployments: one `{ chainId, address, symbol, name, decimals, rank }`
 * for each token, the native coins left out.
 */
export function loadTop(path, chains) {
  const assets = parse(readFileSync(path, 'utf8')).asset;
  const byId = new Map(chains.map((chain) => [chain.id, chain]));
  const problems = [];
  const tokens = [];
  const taken = new Set();
  const natives = new Set();
  assets.forEach((asset, index) => {
    const wrong = (words) => problems.push(`${asset.symbol}: ${words}`);
    if (asset.rank !== index + 1) wrong(`rank must be ${index + 1}: assets stand in order of rank`);
    if (!goodSymbol(asset.symbol) || !goodName(asset.name) || !goodDecimals(asset.decimals)) wrong('symbol, name or decimals are unfit');
    if (!/^[a-z0-9-]+$/.test(asset.coin) || taken.has(asset.coin)) wrong(`coin "${asset.coin}" must be a slug of its own`);
    taken.add(asset.coin);
    for (const alias of asset.aliases) if (alias !== alias.toLowerCase().trim()) wrong(`alias "${alias}" must be lower case`);
    for (const id of Object.keys(asset.decimals_on ?? {})) if (!(id in asset.addresses)) wrong(`decimals_on ${id}, but no address there`);
    for (const [id, address] of Object.entries(asset.addresses)) {
      const chain = byId.get(Number(id));
      if (!chain) { wrong(`chain ${id} is not in chains.toml`); continue; }
      const decimals = asset.decimals_on?.[id] ?? asset.decimals;
      if (address === 'native') {
        if (chain.native.symbol !== asset.symbol || chain.native.decimals !== decimals) wrong(`is not the native coin of ${chain.name}`);
        natives.add(chain.id);
        continue;
      }
      if (canonical(chain.family, address) !== address) wrong(`${address} on ${chain.name} is not a checksummed address`);
      const key = `${id}:${address}`;
      if (taken.has(key)) wrong(`${address} on ${chain.name} stands at two assets`);
      taken.add(key);
      tokens.push({ chainId: chain.id, address, symbol: asset.symbol, name: asset.name, decimals, rank: asset.rank });
    }
  });
  for (const chain of chains) {
    if (!natives.has(chain.id)) problems.push(`the native coin of ${chain.name} is missing`);
    if (chain.wrapped_native && !taken.has(`${chain.id}:${chain.wrapped_native}`)) problems.push(`the wrapped native of ${chain.name} is missing`);
  }
  if (problems.length > 0) throw new Error(`top.toml:\n  ${problems.join('\n  ')}`);
  return { assets, tokens };
}

/** Fails unless each curated token is known to two sources, all of which agree on its decimals. */
export function checkWitnesses(tokens, candidates) {
  const problems = [];
  for (const token of tokens) {
    const candidate = candidates.get(`${token.chainId}:${token.address}`);
    const witnesses = candidate ? [...candidate.witnesses] : [];
    if (witnesses.length < 2) problems.push(`${token.symbol} on ${token.chainId}: ${token.address} is known to [${witnesses}] only`);
    for (const decimals of candidate?.decimals ?? []) {
      if (decimals !== token.decimals) problems.push(`${token.symbol} on ${token.chainId}: a source says ${decimals} decimals, top.toml ${token.decimals}`);
    }
  }
  if (problems.length > 0) throw new Error(`top.toml against the sources:\n  ${problems.join('\n  ')}`);
}
