import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { canonical } from './address.mjs';
import { logoProblem } from './icons.mjs';

const FIELDS = [
  'id', 'slug', 'name', 'aliases', 'family', 'native', 'wrapped_native', 'explorer', 'rpc', 'deposit_methods', 'color',
  'logo', 'policy', 'evm',
];
const OPTIONAL = new Set(['wrapped_native', 'evm']);
const POLICY = ['deposit_seconds', 'fill_seconds', 'order_cap_usd'];
const EVM = [
  'small_deposits', 'attestations', 'large_amounts', 'fallback_depth', 'send_depth', 'max_fee_gwei', 'min_tip_wei',
  'gas_factor', 'permit2', 'multicall3', 'zksync_vm',
];
const METHODS = {
  evm: ['CONTRACT_CALL', 'PERMIT2', 'TRANSFER'], solana: ['CONTRACT_CALL', 'TRANSFER'], bitcoin: ['TRANSFER'], tron: ['TRANSFER'],
};
/** Families whose chains the service does not read: swaps only begin there. */
const SOURCES = new Set(['bitcoin', 'tron']);
const URL_SHAPE = /^https:\/\/[^\s?#]+[^\s?#/]$/;

/** Reads chains.toml and says everything that is wrong with it at once. */
export function loadChains(path) {
  const chains = parse(readFileSync(path, 'utf8')).chain;
  const problems = [];
  const seen = new Set();
  let previous = 0;
  for (const chain of chains) {
    const wrong = (words) => problems.push(`chain ${chain.id}: ${words}`);
    for (const key of Object.keys(chain)) if (!FIELDS.includes(key)) wrong(`unknown field ${key}`);
    for (const key of FIELDS) if (!(key in chain) && !OPTIONAL.has(key)) wrong(`${key} is missing`);
    if (chain.id <= previous) wrong('ids must ascend');
    previous = chain.id;
    checkChain(chain, wrong);
    for (const word of [chain.slug, chain.name.toLowerCase(), ...chain.aliases]) {
      if (seen.has(word) && word !== chain.slug) wrong(`"${word}" already names another chain`);
      seen.add(word);
    }
  }
  if (problems.length > 0) throw new Error(`chains.toml:\n  ${problems.join('\n  ')}`);
  return chains;
}

function checkChain(chain, wrong) {
  const methods = METHODS[chain.family];
  if (!methods) return wrong(`family ${chain.family} is none of ${Object.keys(METHODS).join(', ')}`);
  checkColumns('policy', POLICY, chain.policy ?? {}, wrong);
  if (chain.family === 'evm') checkColumns('evm', EVM, chain.evm ?? {}, wrong);
  else if (chain.evm) wrong('only EVM chains have the table evm');
  for (const name of ['permit2', 'multicall3']) {
    const address = chain.evm?.[name];
    if (address && canonical('evm', address) !== address) wrong(`${name} is not a checksummed address`);
  }
  if (!/^[a-z0-9]+$/.test(chain.slug)) wrong('slug must be lower-case letters and digits');
  if (!/^#[0-9A-F]{6}$/.test(chain.color)) wrong('color must be #RRGGBB in upper case');
  const problem = logoProblem(chain.logo ?? {});
  if (problem) wrong(problem);
  if (chain.wrapped_native && canonical(chain.family, chain.wrapped_native) !== chain.wrapped_native) {
    wrong('wrapped_native is not a checksummed address');
  }
  for (const alias of chain.aliases) if (alias !== alias.toLowerCase().trim()) wrong(`alias "${alias}" must be lower case`);
  for (const url of [chain.explorer.url, ...chain.rpc]) {
    if (!URL_SHAPE.test(url)) wrong(`${url} must be https, without query or trailing slash`);
  }
  for (const method of chain.deposit_methods) if (!methods.includes(method)) wrong(`no such deposit method: ${method}`);
  if (!SOURCES.has(chain.family) && !chain.deposit_methods.includes('CONTRACT_CALL')) wrong('CONTRACT_CALL is always there');
  if (SOURCES.has(chain.family) && chain.rpc.length > 0) wrong('no endpoint of it is used');
  if (chain.evm?.zksync_vm && chain.deposit_methods.includes('TRANSFER')) {
    wrong('TRANSFER needs the common CREATE2 derivation');
  }
  const { name, symbol, decimals } = chain.native;
  if (!name || !symbol || !Number.isInteger(decimals)) wrong('native needs name, symbol and decimals');
}

/** The names of the columns; the crate checks their values when it loads them. */
function checkColumns(table, columns, found, wrong) {
  for (const key of Object.keys(found)) if (!columns.includes(key)) wrong(`unknown field ${table}.${key}`);
  for (const key of columns) if (!(key in found)) wrong(`${table}.${key} is missing`);
}
