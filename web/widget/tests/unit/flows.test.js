import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.js';

const { attributeOf, chainsOf, methodsOf, readAttribute } = await load('options.ts');
const { keyOf, skeleton } = await load('flows/catalog.ts');
const { expiryOf, fillerOf, kindOf, ranked } = await load('flows/quotes.ts');
const { sumOf } = await load('flows/transfer.ts');
const { isRejection } = await load('errors.ts');
const { isAddress } = await load('wallets/account.ts');

const route = (routeId, amountOut, amountIn = '10', more = {}) => ({
  quoteId: 'q', routeId, type: 'native-filler', depositMethods: ['CONTRACT_CALL'], quote: { amountIn, amountOut, expectedDurationSeconds: 4, validBefore: 100, quoteExpiresAt: 90 }, ...more,
});

test('attributes are options in their own kinds', () => {
  assert.equal(attributeOf('qrCodeApiUrl'), 'qr-code-api-url');
  assert.equal(readAttribute('hideTitle', ''), true);
  assert.equal(readAttribute('hideTitle', 'false'), false);
  assert.equal(readAttribute('slippageTolerance', '0.01'), 0.01);
  assert.equal(readAttribute('referrerFeeBps', 'many'), undefined);
  assert.equal(readAttribute('amount', null), undefined);
  assert.deepEqual(methodsOf('buy, swap nothing'), ['buy', 'swap']);
  assert.deepEqual(methodsOf(undefined), ['swap', 'transfer', 'buy']);
  assert.deepEqual(chainsOf('1,8453,x,-3'), [1, 8453]);
  assert.equal(chainsOf(''), undefined);
});

test('routes are ranked by what is fixed: most output, or least input', () => {
  const routes = [route('a', '99', '12'), route('b', '100', '11'), route('c', '98', '10')];
  assert.deepEqual(ranked(routes, false).map(({ routeId }) => routeId), ['b', 'a', 'c']);
  assert.deepEqual(ranked(routes, true).map(({ routeId }) => routeId), ['c', 'b', 'a']);
  const large = [route('small', '9007199254740992'), route('large', '9007199254740993')];
  assert.equal(ranked(large, false)[0].routeId, 'large');
});

test('a sealed route is known by its filler, and stays the same route in the next quote', () => {
  const sealed = route('A'.repeat(1024), '1', '1', { filler: 'north', depositMethods: ['PERMIT2'] });
  assert.equal(fillerOf(sealed), 'north');
  assert.equal(kindOf(sealed), kindOf({ ...sealed, routeId: 'B'.repeat(1024) }));
  assert.equal(fillerOf(route('A'.repeat(1024), '1')), 'native-filler');
  assert.equal(fillerOf(route('south', '1')), 'south');
  assert.equal(expiryOf(sealed), 90_000);
});

test('symbols that look alike are one, and others are not', () => {
  for (const [one, other] of [['USDC', 'USDС'], ['USDT', 'U$DT'], ['ETH', 'eth'], ['AIDOGE', 'A1D0GE']]) assert.equal(skeleton(one), skeleton(other), other);
  for (const [one, other] of [['USDC', 'USDT'], ['ETH', 'WETH'], ['DAI', 'DAO']]) assert.notEqual(skeleton(one), skeleton(other), other);
  assert.equal(keyOf({ chainId: 1, address: '0xAB' }), keyOf({ chainId: 1, address: '0xab' }));
  assert.notEqual(keyOf({ chainId: 1, address: 'Ab' }), keyOf({ chainId: 1, address: 'ab' }));
});

test('only what was asked for counts as arrived', () => {
  const deposits = [{ chainId: 1, token: '0xAA', amount: '5' }, { chainId: 1, token: '0xaa', amount: '7' }, { chainId: 2, token: '0xaa', amount: '100' }, { chainId: 1, token: '0xbb', amount: '100' }];
  assert.equal(sumOf(deposits, 1, '0xaa'), 12n);
});

test('a refusal of the person is told from a failure of the wallet', () => {
  const wrapped = (cause) => Object.assign(new Error('x'), { cause });
  assert.ok(isRejection(wrapped({ code: 4001 })));
  assert.ok(isRejection({ code: 'ACTION_REJECTED' }));
  assert.ok(isRejection(wrapped(new Error('User rejected the request.'))));
  assert.ok(!isRejection(wrapped({ code: -32000, message: 'insufficient funds' })));
  assert.ok(!isRejection(undefined));
});

test('addresses belong to one family', () => {
  assert.ok(isAddress('0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'eip155'));
  assert.ok(!isAddress('0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'solana'));
  assert.ok(isAddress('AqynRZwvVqUPRwRJXvm6odUb3t93fDjnWe3p6BeuUFxD', 'solana'));
  assert.ok(!isAddress('AqynRZwvVqUPRwRJXvm6odUb3t93fDjnWe3p6BeuUFxO', 'solana'));
});
