import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.js';

const { LOCALES, nearestLocale, say } = await load('i18n.ts');
const { en } = await load('locales/en.ts');

test('every language has every text, with the same values in it', async () => {
  const values = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
  for (const locale of LOCALES.filter((one) => one !== 'en')) {
    const { default: words } = await load(`locales/${locale}.ts`);
    assert.deepEqual(Object.keys(words).sort(), Object.keys(en).sort(), locale);
    for (const [key, text] of Object.entries(words)) {
      assert.ok(text.trim(), `${locale} ${key}`);
      assert.deepEqual(values(text), values(en[key]), `${locale} ${key}`);
    }
  }
});

test('the file of a language has its texts in the order of their keys, after the length of the keys', async () => {
  const keys = Object.keys(en).sort();
  for (const locale of LOCALES.filter((one) => one !== 'en')) {
    const { default: words } = await load(`locales/${locale}.ts`);
    const { default: built } = await import(`../../dist/widget/${locale}.js`);
    assert.deepEqual(built, [keys.join('').length, ...keys.map((key) => words[key])], locale);
  }
});

test('the nearest language is taken', () => {
  const cases = [[['de-AT'], 'de'], [['zh-Hant-HK'], 'zh-TW'], [['zh'], 'zh-CN'], [['pt-BR'], 'pt'], [['nl', 'fr-CA'], 'fr'], [['xx'], 'en'], [[], 'en']];
  for (const [asked, found] of cases) assert.equal(nearestLocale(asked), found);
});

test('values are put in, and what is missing stays visible', () => {
  assert.equal(say(en, 'balance', { amount: '5' }), 'Balance 5');
  assert.equal(say(en, 'balance'), 'Balance {amount}');
});
