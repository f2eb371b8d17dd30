import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const SOLANA = 20011000000;
const LIFI_SOLANA = 1151111081099710;
const TRON = 728126428;
const SPL_REGISTRY_MAINNET = 101;

// The platform names of @web3icons/common.
const PLATFORMS = {
  ethereum: 1, 'optimistic-ethereum': 10, 'binance-smart-chain': 56, 'polygon-pos': 137, zksync: 324, mantle: 5000,
  base: 8453, 'arbitrum-one': 42161, avalanche: 43114, linea: 59144, solana: SOLANA, tron: TRON,
};

/** The folder of an installed package, whether or not it exports its package.json. */
export function packageFolder(name) {
  for (const base of require.resolve.paths(name)) {
    try {
      readFileSync(join(base, name, 'package.json'));
      return join(base, name);
    } catch { /* the next folder may have it */ }
  }
  throw new Error(`${name} is not installed: run npm ci`);
}

const json = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'));

function aave() {
  const { tokens } = json(packageFolder('@aave-dao/aave-address-book'), 'tokenlist.json');
  return tokens.filter((token) => token.tags.includes('underlying'));
}

async function optimism() {
  const module = await import('@eth-optimism/tokenlist');
  return (module.default.tokens ? module.default : module.default.default).tokens;
}

async function lifi() {
  const { defaultCoins, wrappedTokens } = await import('@lifi/data-types');
  const coins = defaultCoins.flatMap((coin) => Object.values(coin.chains));
  return [...coins, ...Object.values(wrappedTokens)].map((token) => ({
    ...token,
    chainId: token.chainId === LIFI_SOLANA ? SOLANA : token.chainId,
  }));
}

function metamask() {
  const map = json(packageFolder('@metamask/contract-metadata'), 'contract-map.json');
  return Object.entries(map)
    .filter(([, token]) => token.erc20)
    .map(([address, token]) => ({ ...token, chainId: 1, address }));
}

async function onedelta() {
  const { ASSET_META } = await import('@1delta/asset-registry').then((module) => module.default ?? module);
  return Object.entries(ASSET_META).flatMap(([chainId, tokens]) =>
    Object.entries(tokens).map(([address, token]) => ({ ...token, chainId: Number(chainId), address })));
}

function ledger(chains) {
  const data = join(packageFolder('@ledgerhq/cryptoassets'), 'src', 'data');
  const out = [];
  for (const { id, family } of chains) {
    if (family !== 'evm') continue;
    let rows;
    try { rows = json(data, 'evm', String(id), 'erc20.json'); } catch { continue; }
    for (const [, , ticker, decimals, name, , address, , delisted] of rows) {
      if (delisted) continue;
      // Ledger's tickers know no dot: the Avalanche bridge's ".e" and ".b" come as "_E" and "_B".
      const symbol = id === 43114 ? ticker.replace(/_([EB])$/, (_, letter) => `.${letter.toLowerCase()}`) : ticker;
      out.push({ chainId: id, address, symbol, name, decimals });
    }
  }
  for (const [, , name, symbol, address, decimals] of json(data, 'spl.json')) {
    out.push({ chainId: SOLANA, address, symbol, name, decimals });
  }
  return out;
}

function splRegistry() {
  const folder = packageFolder('@solana/spl-token-registry');
  return json(folder, 'dist', 'main', 'tokens', 'solana.tokenlist.json').tokens
    .filter((token) => token.chainId === SPL_REGISTRY_MAINNET)
    .map((token) => ({ ...token, chainId: SOLANA }));
}

// Only membership is read: the list has neither names nor a compiled form.
function jupiter() {
  const text = readFileSync(join(packageFolder('@swapkit/tokens'), 'src', 'tokenLists', 'jupiter.ts'), 'utf8');
  return [...text.matchAll(/address: "([1-9A-HJ-NP-Za-km-z]{32,44})"/g)].map(([, address]) => ({ chainId: SOLANA, address }));
}

// Only membership is read: the package serves icons, so it knows addresses but no decimals.
async function web3icons() {
  const { tokens } = await import('@web3icons/common');
  return tokens.flatMap((token) => Object.entries(token.addresses ?? {})
    .filter(([platform, address]) => platform in PLATFORMS && address)
    .map(([platform, address]) => ({ chainId: PLATFORMS[platform], address })));
}

/** Reads vouched.tsv: tokens confirmed by hand, with the places where each was seen. */
function vouched(path) {
  return readFileSync(path, 'utf8').trim().split('\n').slice(1).map((line) => {
    const [chainId, address, symbol, name, decimals, seenIn] = line.split('\t');
    return { chainId: Number(chainId), address, symbol, name, decimals: Number(decimals), seenIn: seenIn.split('; ') };
  });
}

/**
 * Every source in the order in which its symbols and names are preferred.
 * `careful`: one entry alone is good enough where a chain is not crowded.
 * `official`: kept by a protocol for its own use, so good enough everywhere.
 */
export async function readSources(chains, vouchedPath) {
  return [
    { name: 'vouched', official: true, careful: true, tokens: vouched(vouchedPath) },
    { name: 'aave', official: true, careful: true, tokens: aave() },
    { name: 'optimism', official: true, careful: true, tokens: await optimism() },
    { name: 'lifi', official: true, careful: true, tokens: await lifi() },
    { name: 'metamask', careful: true, tokens: metamask() },
    { name: 'onedelta', tokens: await onedelta() },
    { name: 'ledger', careful: true, tokens: ledger(chains) },
    { name: 'spl-registry', tokens: splRegistry() },
    { name: 'jupiter', tokens: jupiter() },
    { name: 'web3icons', tokens: await web3icons() },
  ];
}
