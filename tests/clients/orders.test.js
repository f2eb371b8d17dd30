import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { erc20Abi, keccak256 } from 'viem';
import { DOLLARS, FILLERS, depositOf, eventually, newAddress, shared } from './swaps.js';

const causeway = shared();
const ESCROW_ALLOWANCE = { abi: erc20Abi, functionName: 'approve' };

/** The method of each wallet request of a build, or `deposit`. */
const kinds = ({ approvals = [] }) => approvals.map(({ request, deposit }) => (deposit ? 'deposit' : request.method));

describe('a viem wallet takes a route, and the recipient is paid', { concurrency: true, timeout: 240_000 }, () => {
  test('the native coin for a token: one transaction, and a complete order', async () => {
    const payer = await causeway.payer(1);
    const { order, offer, quote, deposit } = await causeway.swap(payer, [1, 'coin'], [8453, 'USDC'], 10n ** 17n);
    assert.deepEqual(kinds(deposit), ['wallet_switchEthereumChain', 'deposit']);
    const received = await causeway.balance(8453, order.toToken, payer.address);
    assert.equal(received, BigInt(offer.amountOut));
    assert.deepEqual(order.stepsCompleted, ['created', 'deposited', 'published', 'filled']);
    assert.deepEqual(
      [order.quoteId, order.author, order.recipient, order.refundTo, order.srcAmount, order.destAmount, order.intentId],
      [quote.quoteId, payer.address.toLowerCase(), payer.address, payer.address, offer.amountIn, offer.amountOut, deposit.intentId],
    );
    const fill = await causeway.receipt(8453, order.transactions.fill.txHash);
    assert.deepEqual([fill.status, order.transactions.fill.amount], ['success', offer.amountOut]);
    assert.equal(order.transactions.deposit.txHash, order.depositTxHash);
    assert.equal(order.transactions.refund, undefined);
  });

  test('a token for the native coin: an approval of exactly the amount, with no allowance left', async () => {
    const payer = await causeway.payer(8453, { USDC: 1_000n * DOLLARS });
    const recipient = newAddress();
    const taken = await causeway.quoteAndBuild(payer, [8453, 'USDC'], [42161, 'coin'], 100n * DOLLARS, { built: { recipient } });
    assert.deepEqual(kinds(taken.deposit), ['wallet_switchEthereumChain', 'eth_sendTransaction', 'deposit']);
    assert.equal(taken.deposit.summary.length, 3);
    assert.match(taken.deposit.summary[1], /exactly 100 USDC/);
    await causeway.until(await causeway.pay(taken), 'filled');
    assert.equal(await causeway.balance(42161, await causeway.token(42161, 'coin'), recipient), BigInt(taken.offer.amountOut));
    const allowance = await causeway.read(8453).readContract({
      address: await causeway.token(8453, 'USDC'), abi: erc20Abi, functionName: 'allowance', args: [payer.address, await causeway.escrow(8453)],
    });
    assert.equal(allowance, 0n);
  });

  test('USDT with an existing allowance: it is reset to zero first', async () => {
    const payer = await causeway.payer(1, { USDT: 1_000n * DOLLARS });
    const usdt = await causeway.token(1, 'USDT');
    const abi = erc20Abi.map((item) => (item.name === 'approve' ? { ...item, outputs: [] } : item));
    const left = { ...ESCROW_ALLOWANCE, abi, address: usdt, args: [await causeway.escrow(1), 5n] };
    await causeway.receipt(1, await causeway.wallet(1, payer).writeContract(left));
    const taken = await causeway.quoteAndBuild(payer, [1, 'USDT'], [8453, 'USDC'], 100n * DOLLARS);
    assert.deepEqual(kinds(taken.deposit), ['wallet_switchEthereumChain', 'eth_sendTransaction', 'eth_sendTransaction', 'deposit']);
    assert.match(taken.deposit.summary[1], /to zero/);
    await causeway.until(await causeway.pay(taken), 'filled');
    assert.equal(await causeway.balance(8453, await causeway.token(8453, 'USDC'), payer.address), BigInt(taken.offer.amountOut));
  });

  test('a sufficient allowance needs no approval', async () => {
    const payer = await causeway.payer(42161, { USDC: 1_000n * DOLLARS });
    const usdc = await causeway.token(42161, 'USDC');
    const plenty = { ...ESCROW_ALLOWANCE, address: usdc, args: [await causeway.escrow(42161), 500n * DOLLARS] };
    await causeway.receipt(42161, await causeway.wallet(42161, payer).writeContract(plenty));
    const { deposit } = await causeway.swap(payer, [42161, 'USDC'], [1, 'coin'], 50n * DOLLARS);
    assert.deepEqual(kinds(deposit), ['wallet_switchEthereumChain', 'deposit']);
  });

  test('PERMIT2: the payer signs, and pays no gas', async () => {
    const payer = await causeway.payer(8453, { USDC: 1_000n * DOLLARS });
    const built = { depositMethod: 'PERMIT2' };
    const taken = await causeway.quoteAndBuild(payer, [8453, 'USDC'], [42161, 'USDT'], 100n * DOLLARS, { built });
    // The payer approves Permit2 once.
    assert.deepEqual(kinds(taken.deposit), ['wallet_switchEthereumChain', 'eth_sendTransaction']);
    await causeway.sendTransactions(taken);
    const again = await causeway.build(payer, taken.quote, built);
    assert.deepEqual([kinds(again), again.permit], [[], taken.deposit.permit]);
    const coins = () => causeway.read(8453).getBalance({ address: payer.address });
    const [before, nonce] = [await coins(), await causeway.read(8453).getTransactionCount(payer)];
    const signature = await payer.signTypedData(taken.deposit.permit);
    const { orderId, txHash } = await causeway.submit(taken, { signature });
    assert.deepEqual(await causeway.submit(taken, { signature }), { orderId, txHash }, 'submitting is idempotent');
    const order = await causeway.until(orderId, 'filled');
    assert.equal(order.depositTxHash, txHash);
    assert.equal(await causeway.balance(42161, order.toToken, payer.address), BigInt(taken.offer.amountOut));
    assert.deepEqual([await coins(), await causeway.read(8453).getTransactionCount(payer)], [before, nonce]);
  });

  test('a signed transaction is sent by the service', async () => {
    const payer = await causeway.payer(8453);
    const taken = await causeway.quoteAndBuild(payer, [8453, 'coin'], [1, 'USDC'], 10n ** 16n);
    const signedTransaction = await causeway.sign(taken);
    const { orderId, txHash } = await causeway.submit(taken, { signedTransaction });
    assert.equal(txHash, keccak256(signedTransaction));
    const order = await causeway.until(orderId, 'filled');
    assert.equal(order.depositTxHash, txHash);
  });

  test('within one chain', async () => {
    const payer = await causeway.payer(5000, { USDC: 1_000n * DOLLARS });
    const recipient = newAddress();
    const { order, offer } = await causeway.swap(payer, [5000, 'USDC'], [5000, 'USDT'], 100n * DOLLARS, { built: { recipient } });
    assert.equal(await causeway.balance(5000, order.toToken, recipient), BigInt(offer.amountOut));
    await causeway.intent(order.intentId, 'Settled');
  });

  test('vault shares on the hub: exactly the quoted amount', async () => {
    const payer = await causeway.payer(8453, { USDC: 1_000n * DOLLARS });
    const [{ vault }] = await causeway.get('/v1/vaults');
    const { offer } = await causeway.swap(payer, [8453, 'USDC'], [4278608, vault], 100n * DOLLARS);
    assert.equal(await causeway.balance(4278608, vault, payer.address), BigInt(offer.amountOut));
  });

  test('EXACT_OUTPUT: the recipient receives the requested amount, the payer pays the quoted one', async () => {
    const payer = await causeway.payer(8453, { USDC: 1_000n * DOLLARS });
    const recipient = newAddress();
    const asked = { tradeType: 'EXACT_OUTPUT' };
    const { order, offer } = await causeway.swap(payer, [8453, 'USDC'], [1, 'USDT'], 77n * DOLLARS, { asked, built: { recipient } });
    assert.equal(await causeway.balance(1, order.toToken, recipient), 77n * DOLLARS);
    assert.equal(await causeway.balance(8453, order.fromToken, payer.address), 1_000n * DOLLARS - BigInt(offer.amountIn));
    assert.equal(order.tradeType, 'EXACT_OUTPUT');
  });

  test('the intent goes from Locked to Solved to Settled: the referrer receives its fee, the payee the rest', async () => {
    // No other test pays in this token.
    const from = [43114, 'USDT.e'];
    const token = await causeway.token(...from);
    const referrer = newAddress();
    const payer = await causeway.payer(43114, { 'USDT.e': 1_000n * DOLLARS });
    const asked = { referrer, referrerFeeBps: 50 };
    const taken = await causeway.quoteAndBuild(payer, from, [8453, 'coin'], 200n * DOLLARS, { asked });
    const payee = FILLERS[taken.filler].payee.address;
    const before = await causeway.balance(43114, token, payee);
    await causeway.pay(taken);
    const states = [];
    const settled = await eventually(() => causeway.get(`/v1/intent/${taken.deposit.intentId}`), ({ state }) => {
      if (states.at(-1) !== state) states.push(state);
      return state === 'Settled';
    }, 'Settled');
    const expected = ['NonExistent', 'Open', 'Locked', 'Solved', 'Settled'];
    assert.deepEqual(states, expected.filter((state) => states.includes(state)));
    assert.ok(states.includes('Solved'), states.join());
    assert.ok(settled.filledAt && settled.openedAt <= settled.settledAt, JSON.stringify(settled));
    assert.deepEqual(settled.deposits.map(({ chainId, amountIn }) => [chainId, amountIn]), [[43114, String(200n * DOLLARS)]]);
    assert.equal(await causeway.balance(43114, token, referrer), 1n * DOLLARS);
    assert.equal((await causeway.balance(43114, token, payee)) - before, 199n * DOLLARS);
  });

  test('a transaction that was sped up: the order continues with the replacement', async () => {
    const chain = 59144;
    const payer = await causeway.payer(chain);
    const taken = await causeway.quoteAndBuild(payer, [chain, 'coin'], [8453, 'USDC'], 10n ** 16n);
    const wallet = causeway.wallet(chain, payer);
    const slow = await causeway.prepare(taken);
    const fast = { ...slow, maxFeePerGas: slow.maxFeePerGas * 2n, maxPriorityFeePerGas: slow.maxPriorityFeePerGas * 2n };
    await causeway.control(chain, 'pause');
    try {
      const old = await wallet.sendTransaction(slow);
      const { orderId } = await causeway.submit(taken, { txHash: old });
      const hash = await wallet.sendTransaction(fast);
      await causeway.control(chain, 'resume');
      const order = await causeway.until(orderId, 'filled');
      assert.notEqual(hash, old);
      assert.deepEqual([order.depositTxHash, order.transactions.deposit.txHash], [hash, hash]);
    } finally {
      await causeway.control(chain, 'resume');
    }
  });

  test('a deposit that is never submitted is filled', async () => {
    const payer = await causeway.payer(42161);
    const taken = await causeway.quoteAndBuild(payer, [42161, 'coin'], [8453, 'USDC'], 10n ** 16n);
    const page = () => causeway.get(`/v1/orders/${payer.address}`);
    assert.deepEqual((await page()).data, [], 'an order that was only built is not listed');
    const [hash] = await causeway.sendTransactions(taken);
    const { data: [{ id }] } = await eventually(page, ({ data }) => data.length === 1, 'an order');
    const order = await causeway.until(id, 'filled');
    assert.equal(order.depositTxHash, hash);
    const byDeposit = await causeway.get(`/v1/intent/deposit?chainId=42161&txHash=${hash}`);
    assert.equal(byDeposit.intentId, taken.deposit.intentId);
  });

  test('a deposit from another address reverts, and the order waits for its payer', async () => {
    const [payer, other] = await Promise.all([causeway.payer(8453), causeway.payer(8453)]);
    const taken = await causeway.quoteAndBuild(payer, [8453, 'coin'], [42161, 'USDC'], 10n ** 16n);
    const own = await causeway.sign(taken);
    const { orderId } = await causeway.submit(taken, { txHash: keccak256(own) });
    const foreign = await causeway.send(8453, other, { ...depositOf(taken), gas: 1_000_000n });
    assert.equal((await causeway.receipt(8453, foreign)).status, 'reverted');
    await causeway.control(8453, 'mine', { blocks: 3 });
    assert.equal((await causeway.get(`/v1/orders/by-id/${orderId}`)).status, 'created');
    await causeway.read(8453).sendRawTransaction({ serializedTransaction: own });
    assert.equal((await causeway.until(orderId, 'filled')).depositTxHash, keccak256(own));
  });
});
