import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { DOLLARS, newAddress, rejects, rejectsBadRequest, shared } from './swaps.js';

const causeway = shared();
const COIN = 10n ** 16n;
const CHAIN = 8453;
const coin = (payer) => causeway.quoteAndBuild(payer, [CHAIN, 'coin'], [42161, 'USDC'], COIN);

let payer;
before(async () => { payer = await causeway.payer(CHAIN); });

describe('building again returns the same deposit', { concurrency: true, timeout: 180_000 }, () => {
  test('sequentially, with the values of the quote given or omitted', async () => {
    const { quote, deposit } = await coin(payer);
    assert.deepEqual(await causeway.build(payer, quote), deposit);
    const same = { recipient: payer.address.toLowerCase(), refundTo: payer.address, depositMethod: 'CONTRACT_CALL' };
    assert.deepEqual(await causeway.build(payer, quote, same), deposit);
  });

  test('concurrently', async () => {
    const quote = await causeway.quote(payer, [CHAIN, 'coin'], [42161, 'USDC'], COIN);
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => causeway.build(payer, quote)));
    for (const other of others) assert.deepEqual(other, first);
  });
});

describe('a build is rejected', { concurrency: true, timeout: 180_000 }, () => {
  test('with values that differ from the first build', async () => {
    const { quote } = await coin(payer);
    const code = 'ROUTE_ALREADY_BUILT';
    await rejectsBadRequest(causeway.build(payer, quote, { recipient: newAddress() }), { code, message: /recipient/ });
    await rejectsBadRequest(causeway.build(payer, quote, { refundTo: newAddress() }), { code, message: /refundTo/ });
    await rejects(causeway.build(payer, quote, { depositMethod: 'TRANSFER' }), 422, 'NotSupportedDepositMethodException');
  });

  test('for a route whose deposit was made', async () => {
    const account = await causeway.payer(CHAIN);
    const taken = await coin(account);
    const orderId = await causeway.pay(taken);
    await causeway.until(orderId, 'filled');
    const { details } = await rejectsBadRequest(causeway.build(account, taken.quote), { code: 'ROUTE_ALREADY_BUILT', message: /is filled/ });
    assert.equal(details.orderId, orderId);
  });

  test('from an address other than the quote\'s', async () => {
    const quote = await causeway.quote(payer, [CHAIN, 'coin'], [42161, 'USDC'], COIN);
    await rejects(causeway.build({ address: newAddress() }, quote), 400, 'UnexpectedFromAddressException');
  });

  test('with a deposit method that the route does not support', async () => {
    const quote = await causeway.quote(payer, [CHAIN, 'coin'], [42161, 'USDC'], COIN);
    const name = 'NotSupportedDepositMethodException';
    await rejects(causeway.build(payer, quote, { depositMethod: 'PERMIT2' }), 422, name, { message: /CONTRACT_CALL/ });
    await rejects(causeway.build(payer, quote, { depositMethod: 'POST' }), 422, name);
  });

  test('without enough of the input token', async () => {
    const poor = await causeway.payer(CHAIN, { USDC: DOLLARS });
    const quote = await causeway.quote(poor, [CHAIN, 'USDC'], [42161, 'USDT'], 10n * DOLLARS);
    await rejectsBadRequest(causeway.build(poor, quote), { code: 'INSUFFICIENT_BALANCE', message: /has 1 USDC.* takes 10/ });
  });

  test('without the native coin for gas', async () => {
    const poor = await causeway.payer(CHAIN, { coin: 0n, USDC: 100n * DOLLARS });
    const quote = await causeway.quote(poor, [CHAIN, 'USDC'], [42161, 'USDT'], 10n * DOLLARS);
    await rejectsBadRequest(causeway.build(poor, quote), { code: 'INSUFFICIENT_GAS', message: /has 0 ETH/ });
  });

  test('for the whole native balance, without a rest for gas', async () => {
    const poor = await causeway.payer(CHAIN, { coin: COIN });
    const quote = await causeway.quote(poor, [CHAIN, 'coin'], [42161, 'USDC'], COIN);
    await rejectsBadRequest(causeway.build(poor, quote), { code: 'INSUFFICIENT_GAS' });
  });

  test('for an unknown quote', async () => {
    await rejects(causeway.build(payer, { quoteId: '1'.repeat(44), routes: [{ routeId: 'north' }] }), 404, 'QuoteNotFoundException');
  });
});
