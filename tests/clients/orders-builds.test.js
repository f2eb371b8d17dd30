import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { DOLLARS, nobody, refused, refuses, shared } from './swaps.js';

const causeway = shared();
const COIN = 10n ** 16n;
const CHAIN = 8453;
const coin = (payer) => causeway.take(payer, [CHAIN, 'coin'], [42161, 'USDC'], COIN);

let payer;
before(async () => { payer = await causeway.payer(CHAIN); });

describe('building twice gives the same deposit', { concurrency: true, timeout: 180_000 }, () => {
  test('one after the other, with what the quote says anyway said or not', async () => {
    const { quote, deposit } = await coin(payer);
    assert.deepEqual(await causeway.build(payer, quote), deposit);
    const same = { recipient: payer.address.toLowerCase(), refundTo: payer.address, depositMethod: 'CONTRACT_CALL' };
    assert.deepEqual(await causeway.build(payer, quote, same), deposit);
  });

  test('many at once', async () => {
    const quote = await causeway.quote(payer, [CHAIN, 'coin'], [42161, 'USDC'], COIN);
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => causeway.build(payer, quote)));
    for (const other of others) assert.deepEqual(other, first);
  });
});

describe('a build that cannot be says why', { concurrency: true, timeout: 180_000 }, () => {
  test('with other values than before', async () => {
    const { quote } = await coin(payer);
    const code = 'ROUTE_ALREADY_BUILT';
    await refused(causeway.build(payer, quote, { recipient: nobody() }), { code, says: /recipient/ });
    await refused(causeway.build(payer, quote, { refundTo: nobody() }), { code, says: /refundTo/ });
    await refused(causeway.build(payer, quote, { depositMethod: 'TRANSFER' }), { code, says: /depositMethod/ });
  });

  test('of a route whose deposit was made', async () => {
    const account = await causeway.payer(CHAIN);
    const taken = await coin(account);
    const orderId = await causeway.pay(taken);
    await causeway.until(orderId, 'filled');
    const { details } = await refused(causeway.build(account, taken.quote), { code: 'ROUTE_ALREADY_BUILT', says: /is filled/ });
    assert.equal(details.orderId, orderId);
  });

  test('from another address than the quote\'s', async () => {
    const quote = await causeway.quote(payer, [CHAIN, 'coin'], [42161, 'USDC'], COIN);
    await refuses(causeway.build({ address: nobody() }, quote), 400, 'UnexpectedFromAddressException');
  });

  test('by a way that the route does not offer', async () => {
    const quote = await causeway.quote(payer, [CHAIN, 'coin'], [42161, 'USDC'], COIN);
    const name = 'NotSupportedDepositMethodException';
    await refuses(causeway.build(payer, quote, { depositMethod: 'PERMIT2' }), 422, name, { says: /CONTRACT_CALL/ });
    await refuses(causeway.build(payer, quote, { depositMethod: 'POST' }), 422, name);
  });

  test('with too little of the input', async () => {
    const poor = await causeway.payer(CHAIN, { USDC: DOLLARS });
    const quote = await causeway.quote(poor, [CHAIN, 'USDC'], [42161, 'USDT'], 10n * DOLLARS);
    await refused(causeway.build(poor, quote), { code: 'INSUFFICIENT_BALANCE', says: /has 1 USDC.* takes 10/ });
  });

  test('with no coin for the gas', async () => {
    const poor = await causeway.payer(CHAIN, { coin: 0n, USDC: 100n * DOLLARS });
    const quote = await causeway.quote(poor, [CHAIN, 'USDC'], [42161, 'USDT'], 10n * DOLLARS);
    await refused(causeway.build(poor, quote), { code: 'INSUFFICIENT_GAS', says: /has 0 ETH/ });
  });

  test('all of the coin, with nothing left for the gas', async () => {
    const poor = await causeway.payer(CHAIN, { coin: COIN });
    const quote = await causeway.quote(poor, [CHAIN, 'coin'], [42161, 'USDC'], COIN);
    await refused(causeway.build(poor, quote), { code: 'INSUFFICIENT_GAS' });
  });

  test('an unknown quote', async () => {
    await refuses(causeway.build(payer, { quoteId: '1'.repeat(44), routes: [{ routeId: 'north' }] }), 404, 'QuoteNotFoundException');
  });
});
