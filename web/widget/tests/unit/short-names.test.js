import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { shortProperties } from '../../scripts/short-names.js';
import { load } from './load.js';

const sources = (folder) => {
  const root = fileURLToPath(new URL(folder, import.meta.url));
  return readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.ts')).map((name) => readFileSync(`${root}/${name}`, 'utf8'));
};

test('a property that gets a short name is the widget\'s own: nothing else has it, and it is never a text', async () => {
  const { en } = await load('locales/en.ts');
  const { PROVIDER_WORDS } = await load('liquidity/words.ts');
  const { OPTION_NAMES } = await load('options.ts');
  const names = Object.keys(shortProperties.mangleCache);
  assert.equal(new Set(Object.values(shortProperties.mangleCache)).size, names.length);
  const words = [en, PROVIDER_WORDS.en];
  const values = words.flatMap((texts) => Object.values(texts)).flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  const taken = new Set([...words.flatMap(Object.keys), ...values, ...OPTION_NAMES]);
  const [own, sdk] = [sources('../../src').join('\n').replace(/Pick<[^>]*>/g, ''), sources('../../../sdk/src').join('\n').replace(/^\s*(\/\/|\/?\*).*$/gm, '')];
  for (const name of names) {
    assert.ok(!taken.has(name), name);
    assert.ok(new RegExp(`\\b${name}\\b`).test(own), `${name} is not used any more`);
    assert.ok(!new RegExp(`\\.${name}\\b|\\b${name}\\??:|[{,]\\s*${name}\\s*[,}]|['"]${name}['"]`).test(sdk), `the SDK has ${name}`);
    assert.ok(!new RegExp(`['"]${name}['"]`).test(own), `${name} is a text`);
  }
});
