// Builds the bundled data of crates/catalog.
//
//   npm ci && node build.mjs           writes tokens.tsv and icons/, after checking chains.toml and top.toml
//   npm ci && node build.mjs --check   writes nothing; fails if a committed file differs from what it would write
//
// chains.toml and top.toml are written by hand. A token or chain is added there, or in vouched.tsv with the places
// where it was seen; everything else comes from the packages pinned in package.json (see data/PROVENANCE.md).

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadChains } from './lib/chains.mjs';
import { icon } from './lib/icons.mjs';
import { readSources } from './lib/sources.mjs';
import { tokenIcons } from './lib/token-icons.mjs';
import { checkWitnesses, loadTop } from './lib/top.mjs';
import { gather, render, select } from './lib/tokens.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const DATA = join(HERE, '..', '..', 'crates', 'catalog', 'data');
const ICONS = join(DATA, 'icons');
const TOKEN_ICONS = join(ICONS, 'tokens');
const TOKENS_LIMIT = 1_000_000;

async function build() {
  const chains = loadChains(join(DATA, 'chains.toml'));
  const top = loadTop(join(DATA, 'top.toml'), chains);
  const candidates = gather(chains, await readSources(chains, join(HERE, 'vouched.tsv')));
  checkWitnesses(top.tokens, candidates);
  const { tokens, dropped } = select(candidates, top.tokens);
  const tsv = render(tokens);
  if (Buffer.byteLength(tsv) > TOKENS_LIMIT) throw new Error(`tokens.tsv would be ${Buffer.byteLength(tsv)} bytes, over ${TOKENS_LIMIT}`);
  assertCurated(top.tokens, tokens);
  const files = new Map([[join(DATA, 'tokens.tsv'), tsv]]);
  const chainIcons = new Map();
  for (const chain of chains) chainIcons.set(chain.id, await icon(chain));
  for (const [id, svg] of chainIcons) files.set(join(ICONS, `${id}.svg`), svg);
  for (const [coin, svg] of await tokenIcons(top.assets, chainIcons)) files.set(join(TOKEN_ICONS, `${coin}.svg`), svg);
  return { chains, top, tokens, dropped, files };
}

function assertCurated(curated, tokens) {
  const decimals = new Map(tokens.map((token) => [`${token.chainId}:${token.address}`, token.decimals]));
  for (const token of curated) {
    if (decimals.get(`${token.chainId}:${token.address}`) !== token.decimals) throw new Error(`${token.symbol} on ${token.chainId} is not in tokens.tsv as top.toml has it`);
  }
}

function strayIcons(files) {
  const inside = (folder) => (existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []);
  return [...inside(ICONS).filter((path) => path !== TOKEN_ICONS), ...inside(TOKEN_ICONS)].filter((path) => !files.has(path));
}

function check(files) {
  const wrong = [...files].filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text).map(([path]) => path);
  const stale = [...wrong, ...strayIcons(files)].map((path) => relative(DATA, path));
  if (stale.length > 0) throw new Error(`differs from what the sources give: ${stale.join(', ')}. Run node build.mjs`);
}

function write(files) {
  mkdirSync(TOKEN_ICONS, { recursive: true });
  for (const path of strayIcons(files)) rmSync(path);
  for (const [path, text] of files) writeFileSync(path, text);
}

function report({ chains, top, tokens, dropped, files }) {
  const count = new Map();
  for (const { chainId } of tokens) count.set(chainId, (count.get(chainId) ?? 0) + 1);
  for (const { id, name } of chains) console.log(`${String(count.get(id) ?? 0).padStart(6)}  ${name}`);
  const icons = [...files.keys()].filter((path) => dirname(path) === TOKEN_ICONS).length;
  const bytes = Buffer.byteLength(files.get(join(DATA, 'tokens.tsv')));
  console.log(`${String(tokens.length).padStart(6)}  tokens in ${bytes} bytes; ${top.assets.length} curated assets, ${top.tokens.length} curated tokens, ${icons} of the assets with a mark`);
  console.log(`left out: ${dropped.obscure} too little known, ${dropped.decimals} with disputed decimals, ${dropped.text} with unfit text`);
}

try {
  const result = await build();
  if (process.argv.includes('--check')) check(result.files);
  else write(result.files);
  report(result);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
