import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { concatHex, keccak256, numberToHex, toEventSelector, toFunctionSelector, zeroAddress } from 'viem';
import { ESCROW } from './escrow.js';
import { DOLLARS, depositOf, nobody, refused, refuses, shared } from './swaps.js';

const causeway = shared();
const COIN = 10n ** 16n;
const CHAIN = 8453;
const CURVE = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** Emits an event of two topics: the first two words of what it is called with, and the rest as its data. */
const ECHO = '0x60118060095f395ff36020355f35604036038060405f375fa200';

const NOT_THIS = { code: 'NOT_THIS_DEPOSIT' };

const coin = (payer, built) => causeway.take(payer, [CHAIN, 'coin'], [42161, 'USDC'], COIN, { built });

let payer;
before(async () => { payer = await causeway.payer(CHAIN, { coin: 10n * 10n ** 18n, USDC: 1_000n * DOLLARS }); });

describe('a hash that is not this deposit is refused, and in what it differs is told', { concurrency: true, timeout: 180_000 }, () => {
  test('a plain transfer of the coin', async () => {
    const account = await causeway.payer(CHAIN);
    const txHash = await causeway.transfer(CHAIN, account, zeroAddress, nobody(), 1n);
    await refused(causeway.submit(await coin(payer), { txHash }), { ...NOT_THIS, says: /deposits nothing/ });
  });

  test('a plain transfer of a token', async () => {
    const account = await causeway.payer(CHAIN, { USDC: DOLLARS });
    const txHash = await causeway.transfer(CHAIN, account, await causeway.token(CHAIN, 'USDC'), nobody(), 1n);
    await refused(causeway.submit(await coin(payer), { txHash }), { ...NOT_THIS, says: /moves the token/ });
  });

  test('a reverted transaction', async () => {
    const account = await causeway.payer(CHAIN);
    const taken = await coin(payer);
    const txHash = await causeway.send(CHAIN, account, { ...depositOf(taken), gas: 1_000_000n });
    assert.equal((await causeway.receipt(CHAIN, txHash)).status, 'reverted');
    await refused(causeway.submit(taken, { txHash }), { ...NOT_THIS, says: /reverted/ });
  });

  test('a deposit into somebody else\'s order', async () => {
    const other = await causeway.payer(CHAIN);
    const [theirs, ours] = await Promise.all([coin(other), coin(payer)]);
    const [txHash] = await causeway.walk(theirs);
    await causeway.receipt(CHAIN, txHash);
    const { message } = await refused(causeway.submit(ours, { txHash }), { ...NOT_THIS, says: /deposit of another order/ });
    assert.ok(message.includes(theirs.deposit.intentId), message);
    await causeway.until((await causeway.submit(theirs, { txHash })).orderId, 'filled');
  });

  test('a look-alike contract that emits the same event', async () => {
    const account = await causeway.payer(CHAIN);
    const taken = await coin(payer);
    const created = await causeway.receipt(CHAIN, await causeway.send(CHAIN, account, { data: ECHO }));
    // What the escrow would emit is what it answers when it is asked for the order's shape.
    const { to, data } = depositOf(taken);
    const resolve = toFunctionSelector(ESCROW.find(({ name }) => name === 'resolve'));
    const { data: resolved } = await causeway.read(CHAIN).call({ to, data: concatHex([resolve, `0x${data.slice(10)}`]) });
    const open = toEventSelector(ESCROW.find(({ name }) => name === 'Open'));
    const event = concatHex([open, taken.deposit.intentId, resolved]);
    const txHash = await causeway.send(CHAIN, account, { to: created.contractAddress, data: event });
    const { logs: [log] } = await causeway.receipt(CHAIN, txHash);
    assert.deepEqual(log.topics, [open, taken.deposit.intentId]);
    const { message } = await refused(causeway.submit(taken, { txHash }), { ...NOT_THIS, says: /another contract/ });
    assert.ok(message.toLowerCase().includes(created.contractAddress), message);
    await causeway.control(CHAIN, 'mine', { blocks: 3 });
    await refuses(causeway.get(`/v1/intent/${taken.deposit.intentId}`), 404, 'IntentNotFoundException');
    // The true deposit still counts.
    await causeway.until(await causeway.pay(taken), 'filled');
  });

  test('a transaction of another chain moves nothing, and the true deposit is taken instead of it', async () => {
    const account = await causeway.payer(42161);
    const taken = await coin(await causeway.payer(CHAIN));
    // Here it is a hash that is not visible yet, so it is taken on trust.
    const elsewhere = await causeway.transfer(42161, account, zeroAddress, nobody(), 1n);
    const { orderId } = await causeway.submit(taken, { txHash: elsewhere });
    assert.equal((await causeway.get(`/v1/orders/by-id/${orderId}`)).status, 'created');
    const [txHash] = await causeway.walk(taken);
    await causeway.receipt(CHAIN, txHash);
    assert.deepEqual(await causeway.submit(taken, { txHash }), { orderId, txHash });
    assert.equal((await causeway.until(orderId, 'filled')).depositTxHash, txHash);
  });
});

describe('one hash belongs to one order, and one order has one hash', { concurrency: true, timeout: 180_000 }, () => {
  const unseen = () => keccak256(nobody());

  test('the same hash again is the same order', async () => {
    const [taken, txHash] = [await coin(payer), unseen()];
    assert.deepEqual(await causeway.submit(taken, { txHash }), await causeway.submit(taken, { txHash: txHash.toUpperCase().replace('0X', '0x') }));
  });

  test('the same hash for another quote is a duplicate', async () => {
    const [one, two, txHash] = [await coin(payer), await coin(payer), unseen()];
    await causeway.submit(one, { txHash });
    await refuses(causeway.submit(two, { txHash }), 409, 'DuplicateRecordException');
  });

  test('another hash for the same route is a conflict that names the order', async () => {
    const taken = await coin(payer);
    const { orderId } = await causeway.submit(taken, { txHash: unseen() });
    const { details } = await refused(causeway.submit(taken, { txHash: unseen() }), { code: 'DEPOSIT_TX_HASH_CONFLICT' });
    assert.equal(details.orderId, orderId);
  });
});

describe('a submit that cannot be is refused before anything is looked at', { concurrency: true, timeout: 180_000 }, () => {
  for (const txHash of ['0x12', `0x${'z'.repeat(64)}`, 'f'.repeat(64), `0x${'f'.repeat(65)}`, '']) {
    test(`malformed hex: ${JSON.stringify(txHash.slice(0, 8))}… of ${txHash.length}`, async () => {
      const { details } = await refuses(causeway.submit(await coin(payer), { txHash }), 400, 'ValidationException');
      assert.deepEqual(details.issues.map(({ path }) => path), ['txHash']);
    });
  }

  test('malformed hex of a signed transaction and of a signature', async () => {
    const taken = await coin(payer);
    for (const proof of [{ signedTransaction: '0x0g' }, { signature: '0x123' }, { signature: 'no' }]) {
      await refuses(causeway.submit(taken, proof), 400, 'ValidationException');
    }
  });

  test('neither proof, and more than one', async () => {
    const [taken, txHash] = [await coin(payer), keccak256('0x01')];
    await refused(causeway.submit(taken, {}), { says: /exactly one/ });
    await refused(causeway.submit(taken, { txHash, signature: '0x12' }), { says: /txHash and signature/ });
    await refused(causeway.submit(taken, { txHash, signedTransaction: '0x12' }), { says: /txHash and signedTransaction/ });
  });

  test('an unknown quote, an unknown route, and a route that was never built', async () => {
    const { quote, route } = await coin(payer);
    const proof = { txHash: keccak256('0x02') };
    for (const wrong of [{ quote: { quoteId: '0'.repeat(44) }, route }, { quote: { quoteId: 'no quote' }, route }, { quote, route: 'nobody' }]) {
      await refuses(causeway.submit(wrong, proof), 404, 'QuoteNotFoundException');
    }
    await refused(causeway.submit({ quote, route: quote.routes.at(-1).routeId }, proof), { says: /never built/ });
  });

  test('an address path that is not an address', async () => {
    for (const path of ['/v1/orders/0x12', '/v1/orders/by-deposit-address/nobody', '/v1/intents/0xzz']) {
      await refuses(causeway.get(path), 400, 'ValidationException');
    }
    await refuses(causeway.get('/v1/orders/by-id/nothing'), 404, 'OrderNotFoundException');
    await refuses(causeway.get(`/v1/intent/${keccak256('0x03')}`), 404, 'IntentNotFoundException');
  });
});

describe('a signed transaction is sent only if it is the deposit that was built', { concurrency: true, timeout: 180_000 }, () => {
  const sign = async (account, { to, data, value }) => {
    const fees = { gas: 1_000_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
    return account.signTransaction({ type: 'eip1559', chainId: CHAIN, nonce: 0, to, data, value: BigInt(value), ...fees });
  };

  test('of another payer, for another order, of another amount, to another contract, and no transaction at all', async () => {
    const [other, taken, theirs] = [await causeway.payer(CHAIN), await coin(payer), await coin(payer)];
    const deposit = depositOf(taken);
    for (const signed of [
      sign(other, deposit), sign(payer, depositOf(theirs)), sign(payer, { ...deposit, value: 1n }), sign(payer, { ...deposit, to: nobody() }),
    ]) await refused(causeway.submit(taken, { signedTransaction: await signed }), NOT_THIS);
    await refused(causeway.submit(taken, { signedTransaction: '0x02c0' }), NOT_THIS);
  });

  test('one that the chain refuses is told in the chain\'s words, and leaves nothing', async () => {
    const poor = await causeway.payer(CHAIN, { coin: 2n * COIN });
    const taken = await coin(poor);
    await causeway.transfer(CHAIN, poor, zeroAddress, nobody(), COIN + COIN / 2n);
    const { details } = await refuses(causeway.submit(taken, { signedTransaction: await sign(poor, depositOf(taken)) }), 502, 'BroadcastException');
    assert.match(details.reason, /nonce too low|insufficient funds/);
    assert.deepEqual((await causeway.get(`/v1/orders/${poor.address}`)).data, []);
  });
});

describe('a permit counts with its payer\'s signature over this order only', { concurrency: true, timeout: 180_000 }, () => {
  let signer;
  before(async () => {
    signer = await causeway.payer(CHAIN, { USDC: 1_000n * DOLLARS });
    await causeway.walk(await permit());
  });
  const permit = () => causeway.take(signer, [CHAIN, 'USDC'], [42161, 'USDT'], 10n * DOLLARS, { built: { depositMethod: 'PERMIT2' } });

  test('of another key', async () => {
    const taken = await permit();
    const signature = await payer.signTypedData(taken.deposit.permit);
    await refused(causeway.submit(taken, { signature }), { ...NOT_THIS, says: /another key/ });
  });

  test('over another order', async () => {
    const [one, two] = await Promise.all([permit(), permit()]);
    const signature = await signer.signTypedData(one.deposit.permit);
    await refused(causeway.submit(two, { signature }), { ...NOT_THIS, says: /another order/ });
  });

  test('with a high s', async () => {
    const taken = await permit();
    const signature = await signer.signTypedData(taken.deposit.permit);
    const s = numberToHex(CURVE - BigInt(`0x${signature.slice(66, 130)}`), { size: 32 });
    const mirror = concatHex([signature.slice(0, 66), s, signature.endsWith('1b') ? '0x1c' : '0x1b']);
    await refused(causeway.submit(taken, { signature: mirror }), { ...NOT_THIS, says: /mirror/ });
  });

  test('of another length, or as another proof', async () => {
    const taken = await permit();
    await refused(causeway.submit(taken, { signature: `0x${'11'.repeat(63)}` }), { ...NOT_THIS, says: /65 bytes/ });
    await refused(causeway.submit(taken, { signedTransaction: '0x02c0' }), { code: 'WRONG_PROOF' });
  });
});
