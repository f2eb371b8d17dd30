import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.js';

const { formatUnits, parseUnits, showUnits, showUsd, short } = await load('amounts.ts');

test('what people write becomes raw units exactly, or nothing', () => {
  const cases = [['1.5', 6, 1_500_000n], ['1,5', 6, 1_500_000n], ['.5', 1, 5n], ['5.', 0, 5n], ['0.1000', 1, 1n], ['0', 18, 0n], ['115792089237316195423570985008687907853269984665640564039457.584007913129639935', 18, 2n ** 256n - 1n]];
  for (const [text, decimals, raw] of cases) assert.equal(parseUnits(text, decimals), raw, text);
  for (const text of ['', '.', ',', '1.2.3', 'abc', '-1', '1e3', '1.23', ' ']) assert.equal(parseUnits(text, 1), undefined, text);
});

test('raw units come back as they were', () => {
  for (const [raw, decimals] of [[1_500_000n, 6], [1n, 18], [0n, 6], [2n ** 256n - 1n, 18], [7n, 0]]) {
    assert.equal(parseUnits(formatUnits(raw, decimals), decimals), raw);
  }
});

test('nobody is shown more than there is', () => {
  assert.equal(showUnits('1999999', 6, 'en'), '1.9999');
  assert.equal(showUnits('6694895297578260', 18, 'en'), '0.0066948');
  assert.equal(showUnits('123456789999999', 6, 'en'), '123,456,789.99');
  assert.equal(showUnits('0', 6, 'en'), '0');
  assert.deepEqual(['9999500000', '999999999999', '1234567890000'].map((raw) => showUnits(raw, 6, 'en', 'compact')), ['9,999.5', '999.99K', '1.23M']);
  assert.match(showUnits('1234500000', 6, 'de'), /^1\.?234,5$/);
});

test('money and addresses are shown as people expect', () => {
  assert.equal(showUsd(25, 'en'), '$25.00');
  assert.equal(showUsd(0.00123, 'en'), '$0.0012');
  assert.equal(showUsd(25, 'ar'), '\u206625.00\u00a0US$\u2069');
  assert.equal(short('0x70997970C51812dc3A010C7d01b50e0d17dc79C8'), '0x7099…79C8');
  assert.equal(short('short'), 'short');
});
