import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.js';

const { attributeOf, chainsOf, methodsOf, readAttribute } = await load('options.ts');
const { keyOf, known, skeleton } = await load('flows/catalog.ts');
const { expiryOf, fillerOf, kindOf, ranked } = await load('flows/quotes.ts');
const { boundOf } = await load('flows/held-quote.ts');
const { sumOf, transferOf } = await load('flows/transfer.ts');
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
  assert.ok(isAddress('0x70997970c51812dc3a010c7d01b50e0d17dc79c8', 'eip155') && isAddress('0x70997970C51812DC3A010C7D01B50E0D17DC79C8', 'eip155'));
  assert.ok(!isAddress('0x70997970C51812dc3A010C7d01b50e0d17dc79c8', 'eip155'), 'not its checksum');
  assert.ok(isAddress('AqynRZwvVqUPRwRJXvm6odUb3t93fDjnWe3p6BeuUFxD', 'solana'));
  assert.ok(!isAddress('AqynRZwvVqUPRwRJXvm6odUb3t93fDjnWe3p6BeuUFxO', 'solana'));
});

test('what the service leaves out is left out, and nothing breaks', () => {
  assert.equal(known({ chainId: 1, address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }), undefined);
  assert.equal(known(null), undefined);
  assert.equal(known({ chainId: 1, address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', decimals: 0 }).symbol, '0x7099…79C8');
  const bare = { quoteId: 'q', routeId: 'A'.repeat(64), quote: { amountIn: '10', amountOut: '9', expectedDurationSeconds: 4 } };
  assert.deepEqual([fillerOf(bare), kindOf(bare), expiryOf(bare)], ['', ' CONTRACT_CALL', Infinity]);
  assert.equal(sumOf([{}, { chainId: 1 }, { chainId: 1, token: '0xaa' }], 1, '0xaa'), 0n);
  assert.equal(transferOf({ id: 'o', status: 'created' }), undefined);
});

test('a deposit is bound by what was accepted', () => {
  const quote = { amountIn: '10', amountOut: '9', minAmountOut: '8', expectedDurationSeconds: 4 };
  assert.deepEqual(boundOf({ tradeType: 'EXACT_INPUT' }, quote), { minAmountOut: '8' });
  assert.deepEqual(boundOf({ tradeType: 'EXACT_INPUT' }, { ...quote, minAmountOut: undefined }), { minAmountOut: '9' });
  assert.deepEqual(boundOf({ tradeType: 'EXACT_OUTPUT' }, quote), { maxAmountIn: '10' });
  const order = { id: 'o', status: 'created', quoteId: 'q', routeId: 'r', fromChainId: 1, toChainId: 10, fromToken: '0xaa', toToken: '0xbb', srcAmount: '10', destAmount: '9', author: '0xcc' };
  const { ask, route: held } = transferOf(order);
  assert.deepEqual([ask.amount, ask.refundTo, boundOf(ask, held.quote)], ['10', '0xcc', { minAmountOut: '9' }]);
  assert.equal(transferOf({ ...order, tradeType: 'EXACT_OUTPUT' }).ask.amount, '9');
});
