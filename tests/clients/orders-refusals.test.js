import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { concatHex, keccak256, numberToHex, toEventSelector, toFunctionSelector, zeroAddress } from 'viem';
import { ESCROW } from './escrow.js';
import { DOLLARS, depositOf, newAddress, rejects, rejectsBadRequest, shared } from './swaps.js';

const causeway = shared();
const COIN = 10n ** 16n;
const CHAIN = 8453;
const CURVE = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** Emits an event with the first two words of its calldata as topics, and the rest as data. */
const ECHO = '0x60118060095f395ff36020355f35604036038060405f375fa200';

const NOT_THIS = { code: 'NOT_THIS_DEPOSIT' };

const coin = (payer, built) => causeway.quoteAndBuild(payer, [CHAIN, 'coin'], [42161, 'USDC'], COIN, { built });

let payer;
before(async () => { payer = await causeway.payer(CHAIN, { coin: 10n * 10n ** 18n, USDC: 1_000n * DOLLARS }); });

describe('a hash of another transaction is rejected with the difference', { concurrency: true, timeout: 180_000 }, () => {
  test('a plain transfer of the native coin', async () => {
    const account = await causeway.payer(CHAIN);
    const txHash = await causeway.transfer(CHAIN, account, zeroAddress, newAddress(), 1n);
    await rejectsBadRequest(causeway.submit(await coin(payer), { txHash }), { ...NOT_THIS, message: /deposits nothing/ });
  });

  test('a plain transfer of a token', async () => {
    const account = await causeway.payer(CHAIN, { USDC: DOLLARS });
    const txHash = await causeway.transfer(CHAIN, account, await causeway.token(CHAIN, 'USDC'), newAddress(), 1n);
    await rejectsBadRequest(causeway.submit(await coin(payer), { txHash }), { ...NOT_THIS, message: /moves the token/ });
  });

  test('a reverted transaction', async () => {
    const account = await causeway.payer(CHAIN);
    const taken = await coin(payer);
    const txHash = await causeway.send(CHAIN, account, { ...depositOf(taken), gas: 1_000_000n });
    assert.equal((await causeway.receipt(CHAIN, txHash)).status, 'reverted');
    await rejectsBadRequest(causeway.submit(taken, { txHash }), { ...NOT_THIS, message: /reverted/ });
  });

  test('a deposit for another order', async () => {
    const other = await causeway.payer(CHAIN);
    const [theirs, ours] = await Promise.all([coin(other), coin(payer)]);
    const [txHash] = await causeway.sendTransactions(theirs);
    await causeway.receipt(CHAIN, txHash);
    const { message } = await rejectsBadRequest(causeway.submit(ours, { txHash }), { ...NOT_THIS, message: /deposit of another order/ });
    assert.ok(message.includes(theirs.deposit.intentId), message);
    await causeway.until((await causeway.submit(theirs, { txHash })).orderId, 'filled');
  });

  test('another contract that emits the same event', async () => {
    const account = await causeway.payer(CHAIN);
    const taken = await coin(payer);
    const created = await causeway.receipt(CHAIN, await causeway.send(CHAIN, account, { data: ECHO }));
    // The escrow's `resolve` returns the data that its event would have.
    const { to, data } = depositOf(taken);
    const resolve = toFunctionSelector(ESCROW.find(({ name }) => name === 'resolve'));
    const { data: resolved } = await causeway.read(CHAIN).call({ to, data: concatHex([resolve, `0x${data.slice(10)}`]) });
    const open = toEventSelector(ESCROW.find(({ name }) => name === 'Open'));
    const event = concatHex([open, taken.deposit.intentId, resolved]);
    const txHash = await causeway.send(CHAIN, account, { to: created.contractAddress, data: event });
    const { logs: [log] } = await causeway.receipt(CHAIN, txHash);
    assert.deepEqual(log.topics, [open, taken.deposit.intentId]);
    const { message } = await rejectsBadRequest(causeway.submit(taken, { txHash }), { ...NOT_THIS, message: /another contract/ });
    assert.ok(message.toLowerCase().includes(created.contractAddress), message);
    await causeway.control(CHAIN, 'mine', { blocks: 3 });
    await rejects(causeway.get(`/v1/intent/${taken.deposit.intentId}`), 404, 'IntentNotFoundException');
    // The real deposit is still accepted.
    await causeway.until(await causeway.pay(taken), 'filled');
  });

  test('a transaction of another chain has no effect, and the real deposit replaces it', async () => {
    const account = await causeway.payer(42161);
    const taken = await coin(await causeway.payer(CHAIN));
    // On this chain the hash is not visible yet, so it is accepted for now.
    const elsewhere = await causeway.transfer(42161, account, zeroAddress, newAddress(), 1n);
    const { orderId } = await causeway.submit(taken, { txHash: elsewhere });
    assert.equal((await causeway.get(`/v1/orders/by-id/${orderId}`)).status, 'created');
    const [txHash] = await causeway.sendTransactions(taken);
    await causeway.receipt(CHAIN, txHash);
    assert.deepEqual(await causeway.submit(taken, { txHash }), { orderId, txHash });
    assert.equal((await causeway.until(orderId, 'filled')).depositTxHash, txHash);
  });
});

describe('a hash belongs to one order, and an order has one hash', { concurrency: true, timeout: 180_000 }, () => {
  const unseen = () => keccak256(newAddress());

  test('the same hash again returns the same order', async () => {
    const [taken, txHash] = [await coin(payer), unseen()];
    assert.deepEqual(await causeway.submit(taken, { txHash }), await causeway.submit(taken, { txHash: txHash.toUpperCase().replace('0X', '0x') }));
  });

  test('the same hash for another quote is a duplicate', async () => {
    const [one, two, txHash] = [await coin(payer), await coin(payer), unseen()];
    await causeway.submit(one, { txHash });
    await rejects(causeway.submit(two, { txHash }), 409, 'DuplicateRecordException');
  });

  test('another hash for the same route is a conflict with the order id', async () => {
    const taken = await coin(payer);
    const { orderId } = await causeway.submit(taken, { txHash: unseen() });
    const { details } = await rejectsBadRequest(causeway.submit(taken, { txHash: unseen() }), { code: 'DEPOSIT_TX_HASH_CONFLICT' });
    assert.equal(details.orderId, orderId);
  });
});

describe('an invalid submission is rejected before the chain is read', { concurrency: true, timeout: 180_000 }, () => {
  for (const txHash of ['0x12', `0x${'z'.repeat(64)}`, 'f'.repeat(64), `0x${'f'.repeat(65)}`, '']) {
    test(`malformed hex: ${JSON.stringify(txHash.slice(0, 8))}… of ${txHash.length}`, async () => {
      const { details } = await rejects(causeway.submit(await coin(payer), { txHash }), 400, 'ValidationException');
      assert.deepEqual(details.issues.map(({ path }) => path), ['txHash']);
    });
  }

  test('malformed hex of a signed transaction and of a signature', async () => {
    const taken = await coin(payer);
    for (const proof of [{ signedTransaction: '0x0g' }, { signature: '0x123' }, { signature: 'no' }]) {
      await rejects(causeway.submit(taken, proof), 400, 'ValidationException');
    }
  });

  test('without a proof, and with more than one', async () => {
    const [taken, txHash] = [await coin(payer), keccak256('0x01')];
    await rejectsBadRequest(causeway.submit(taken, {}), { message: /exactly one/ });
    await rejectsBadRequest(causeway.submit(taken, { txHash, signature: '0x12' }), { message: /txHash and signature/ });
    await rejectsBadRequest(causeway.submit(taken, { txHash, signedTransaction: '0x12' }), { message: /txHash and signedTransaction/ });
  });

  test('an unknown quote, an unknown route, and a route that was never built', async () => {
    const { quote, route } = await coin(payer);
    const proof = { txHash: keccak256('0x02') };
    for (const wrong of [{ quote: { quoteId: '0'.repeat(44) }, route }, { quote: { quoteId: 'no quote' }, route }, { quote, route: 'nobody' }]) {
      await rejects(causeway.submit(wrong, proof), 404, 'QuoteNotFoundException');
    }
    await rejectsBadRequest(causeway.submit({ quote, route: quote.routes.at(-1).routeId }, proof), { message: /never built/ });
  });

  test('an address path that is not an address', async () => {
    for (const path of ['/v1/orders/0x12', '/v1/orders/by-deposit-address/nobody', '/v1/intents/0xzz']) {
      await rejects(causeway.get(path), 400, 'ValidationException');
    }
    await rejects(causeway.get('/v1/orders/by-id/nothing'), 404, 'OrderNotFoundException');
    await rejects(causeway.get(`/v1/intent/${keccak256('0x03')}`), 404, 'IntentNotFoundException');
  });
});

describe('a signed transaction is broadcast only if it is the deposit of the build', { concurrency: true, timeout: 180_000 }, () => {
  const sign = async (account, { to, data, value }) => {
    const fees = { gas: 1_000_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
    return account.signTransaction({ type: 'eip1559', chainId: CHAIN, nonce: 0, to, data, value: BigInt(value), ...fees });
  };

  test('not from another payer, for another order, of another amount, to another contract, or malformed', async () => {
    const [other, taken, theirs] = [await causeway.payer(CHAIN), await coin(payer), await coin(payer)];
    const deposit = depositOf(taken);
    for (const signed of [
      sign(other, deposit), sign(payer, depositOf(theirs)), sign(payer, { ...deposit, value: 1n }), sign(payer, { ...deposit, to: newAddress() }),
    ]) await rejectsBadRequest(causeway.submit(taken, { signedTransaction: await signed }), NOT_THIS);
    await rejectsBadRequest(causeway.submit(taken, { signedTransaction: '0x02c0' }), NOT_THIS);
  });

  test('one that the chain rejects returns the chain\'s message and creates no order', async () => {
    const poor = await causeway.payer(CHAIN, { coin: 2n * COIN });
    const taken = await coin(poor);
    await causeway.transfer(CHAIN, poor, zeroAddress, newAddress(), COIN + COIN / 2n);
    const { details } = await rejects(causeway.submit(taken, { signedTransaction: await sign(poor, depositOf(taken)) }), 502, 'BroadcastException');
    assert.match(details.reason, /nonce too low|insufficient funds/);
    assert.deepEqual((await causeway.get(`/v1/orders/${poor.address}`)).data, []);
  });
});

describe('a permit needs the payer\'s signature for this order', { concurrency: true, timeout: 180_000 }, () => {
  let signer;
  before(async () => {
    signer = await causeway.payer(CHAIN, { USDC: 1_000n * DOLLARS });
    await causeway.sendTransactions(await permit());
  });
  const permit = () => causeway.quoteAndBuild(signer, [CHAIN, 'USDC'], [42161, 'USDT'], 10n * DOLLARS, { built: { depositMethod: 'PERMIT2' } });

  test('not of another key', async () => {
    const taken = await permit();
    const signature = await payer.signTypedData(taken.deposit.permit);
    await rejectsBadRequest(causeway.submit(taken, { signature }), { ...NOT_THIS, message: /another key/ });
  });

  test('not for another order', async () => {
    const [one, two] = await Promise.all([permit(), permit()]);
    const signature = await signer.signTypedData(one.deposit.permit);
    await rejectsBadRequest(causeway.submit(two, { signature }), { ...NOT_THIS, message: /another order/ });
  });

  test('not with a high s', async () => {
    const taken = await permit();
    const signature = await signer.signTypedData(taken.deposit.permit);
    const s = numberToHex(CURVE - BigInt(`0x${signature.slice(66, 130)}`), { size: 32 });
    const mirror = concatHex([signature.slice(0, 66), s, signature.endsWith('1b') ? '0x1c' : '0x1b']);
    await rejectsBadRequest(causeway.submit(taken, { signature: mirror }), { ...NOT_THIS, message: /mirror/ });
  });

  test('not of another length, or as another proof', async () => {
    const taken = await permit();
    await rejectsBadRequest(causeway.submit(taken, { signature: `0x${'11'.repeat(63)}` }), { ...NOT_THIS, message: /65 bytes/ });
    await rejectsBadRequest(causeway.submit(taken, { signedTransaction: '0x02c0' }), { code: 'WRONG_PROOF' });
  });
});
