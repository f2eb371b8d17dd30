// Swaps that liquidity providers settle: whom the host trusts, what is said of it, and the chains that swaps only begin on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.js';

const { contractsOf, isTrusted, payeesOf } = await load('liquidity/trust.ts');
const { PROVIDER_WORDS } = await load('liquidity/words.ts');
const { Liquidity } = await load('liquidity/liquidity.ts');
const { LOCALES, say } = await load('i18n.ts');
const { isGuaranteed } = await load('flows/quotes.ts');
const { transferOf } = await load('flows/transfer.ts');
const { Catalog } = await load('flows/catalog.ts');
const { issueOf } = await load('errors.ts');

const CONTRACT = '0x4cD00E387622C35bDDB9b4c962C136462338BC31';
const trust = { relay: { 8453: [CONTRACT], 1: [] }, oneclick: 'any-address', typo: 'any-adress' };
const call = { fromChainId: 8453, depositMethods: ['CONTRACT_CALL', 'PERMIT2'] };
const transfer = { fromChainId: 8453, depositMethods: ['TRANSFER'] };

test('a provider is trusted with its contracts on their chains, or with any address, and with nothing else', () => {
  for (const [filler, ask, is] of [
    ['relay', call, true], ['relay', { ...call, fromChainId: 1 }, false], ['relay', { ...call, fromChainId: 10 }, false], ['relay', transfer, false],
    ['oneclick', transfer, true], ['oneclick', call, false], ['typo', transfer, false], ['typo', call, false], ['lifi', call, false],
    ['constructor', call, false], ['__proto__', call, false], [undefined, call, false], [null, transfer, false],
  ]) assert.equal(isTrusted(trust, { filler }, ask), is, `${filler} ${JSON.stringify(ask)}`);
  assert.deepEqual(payeesOf(trust), ['oneclick']);
  assert.deepEqual(contractsOf(trust, 'relay')[8453], [CONTRACT]);
  // Numbers of chains would else be places in the text.
  assert.equal(contractsOf(trust, 'oneclick')[1], undefined);
});

test('every language says all of it, with the same values in it', () => {
  const values = (text) => text.match(/\{\w+\}/g) ?? [];
  for (const locale of LOCALES) {
    assert.deepEqual(Object.keys(PROVIDER_WORDS[locale]).sort(), Object.keys(PROVIDER_WORDS.en).sort(), locale);
    for (const [key, text] of Object.entries(PROVIDER_WORDS[locale])) {
      assert.ok(text.trim(), `${locale} ${key}`);
      assert.deepEqual(values(text), values(PROVIDER_WORDS.en[key]), `${locale} ${key}`);
    }
  }
});

/** The text of a template. */
const textOf = (part) => {
  if (part == null || part === '') return '';
  if (Array.isArray(part)) return part.map(textOf).join('');
  return typeof part === 'object' ? part.strings.map((text, at) => text + textOf(part.values[at])).join('') : String(part);
};
const html = (strings, ...values) => ({ strings, values });
const liquidity = (options = { trustedProviders: trust }) =>
  new Liquidity({ options, quotes: {} }, { html, say, notice: (_, content) => content, withShortAddresses: (text) => text });
const route = { settlement: 'provider', filler: 'relay', heldBy: 'its depository', refunds: 'It returns the input.' };

test('a route of a provider says who settles it, who holds the money and what a refund is; other routes say nothing', () => {
  const words = (app, ...rest) => textOf(liquidity(app.options).custody(app, ...rest));
  const app = { locale: 'en', view: 'review', options: {} };
  const said = words(app, route);
  for (const part of ['Relay settles this swap itself', 'Held meanwhile by', 'its depository', 'It returns the input.']) assert.ok(said.includes(part), part);
  assert.equal(words(app, { ...route, settlement: undefined }), '');
  assert.ok(words({ ...app, locale: 'de' }, route).includes('Relay wickelt diesen Tausch selbst ab'));
  assert.ok(words({ ...app, options: { texts: { heldBy: 'The keeper is' } } }, route).includes('The keeper is'));
  assert.ok(words(app, { ...route, filler: 'another' }).includes('another settles'));
});

test('a sentence of a deposit is left out only where the same is said already', () => {
  const app = { locale: 'en', view: 'review', options: {} };
  const sentences = ['Through a bridge.', 'Until it is delivered, the money is held by its depository.', 'It returns the input.', 'Until then, it is held by somebody else.'];
  const said = textOf(liquidity().custody(app, route, sentences));
  assert.ok(said.includes('Through a bridge.') && said.includes('held by somebody else') && !said.includes('Until it is delivered'));
  assert.equal(said.split('It returns the input.').length, 2);
  // A transfer has the sentence about refunds under its address.
  assert.ok(!textOf(liquidity().custody({ ...app, view: 'transfer' }, route)).includes('It returns the input.'));
  assert.ok(textOf(liquidity().notes(sentences, route.heldBy)).includes('It returns the input.'));
});

test('only a provider that is trusted with any address, and that the route named, may be paid at one', async () => {
  const deposit = (provider) => ({ kind: 'PROVIDER_TRANSFER', provider });
  const ask = { tradeType: 'EXACT_INPUT', amount: '10', fromAddress: CONTRACT };
  const quote = { amountIn: '10', amountOut: '10', minAmountOut: '10' };
  const check = (filler, built) => liquidity().checkTransfer(ask, { quote, filler }, built, { minAmountOut: '10' });
  await assert.rejects(check('relay', deposit('relay')), /provider is relay/);
  await assert.rejects(check('oneclick', deposit('relay')), /provider is relay/);
  await assert.rejects(check('another', deposit('oneclick')), /provider is oneclick/);
  await assert.rejects(check('oneclick', { kind: 'TRANSFER' }), /another deposit/);
  await assert.rejects(check('oneclick', deposit('oneclick')), /recipient/);
});

test('what a provider delivers is not guaranteed, though it names one amount', () => {
  const quote = { amountIn: '10', amountOut: '9', minAmountOut: '9', expectedDurationSeconds: 1 };
  assert.equal(isGuaranteed({ quote }), true);
  assert.equal(isGuaranteed({ quote, settlement: 'provider' }), false);
  assert.equal(isGuaranteed({ quote: { ...quote, minAmountOut: '8' } }), false);
});

test('an order that waits for a transfer to a provider is one of that provider', () => {
  const order = { id: 'o', status: 'created', quoteId: 'q', routeId: 'r', fromChainId: 1, toChainId: 10, fromToken: 'a', toToken: 'b', srcAmount: '10', destAmount: '9', author: 'c' };
  const settled = { settlement: 'provider', heldBy: 'an agent', refunds: 'slowly' };
  assert.deepEqual(transferOf({ ...order, ...settled, providerStatus: { provider: 'oneclick' } }).route, {
    quoteId: 'q', routeId: 'r', quote: { amountIn: '10', amountOut: '9', minAmountOut: '9', expectedDurationSeconds: 0 }, ...settled, filler: 'oneclick',
  });
  assert.equal(transferOf(order).route.settlement, undefined);
});

test('chains that swaps only begin on are offered where somebody may be paid there, and known by name elsewhere', async () => {
  const chains = [[8453, 'eip155'], [20011000000, 'solana'], [8253038, 'bip122'], [728126428, 'tron'], [7, undefined]].map(([id, type]) => ({ id, type, name: `Chain ${id}` }));
  const fetch = async (input) => new Response(JSON.stringify(new URL(String(input)).pathname.endsWith('/chains') ? chains : []), { headers: { 'content-type': 'application/json' } });
  const client = { baseUrl: 'http://service.example', fiatBaseUrl: 'http://service.example', fetch, timeout: 1000, headers: new Headers() };
  const catalog = new Catalog(client, undefined);
  await catalog.load(false);
  assert.deepEqual([...catalog.chains.keys()], [8453, 20011000000, 7]);
  assert.equal(catalog.all.get(8253038).name, 'Chain 8253038');
  assert.equal(await catalog.resolve({ chainId: 8253038, address: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs' }), undefined);
  await catalog.load(true);
  assert.deepEqual([...catalog.chains.keys()], chains.map(({ id }) => id));
  assert.deepEqual(chains.map(({ id }) => catalog.isSource(id)), [false, false, true, true, false]);
  assert.deepEqual([8253038, 728126428, 7, undefined].map((id) => catalog.familyOf(id)), ['bip122', 'tron', 'eip155', 'eip155']);
});

test('what the service says of an address is shown at its field', () => {
  const error = { details: { body: { details: { issues: [{ path: 'fromAddress', message: 'no' }, { path: 'refundTo', message: 'this is hex' }] } } } };
  assert.equal(issueOf(error, 'refundTo'), 'This is hex');
  assert.equal(issueOf(error, 'recipient'), undefined);
  for (const other of [undefined, null, new Error('x'), { details: { body: 'text' } }, { details: { body: { details: { issues: [{}] } } } }]) assert.equal(issueOf(other, 'refundTo'), undefined);
});
