import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import * as kit from '@solana/kit';
import { SYSTEM } from './solana.js';
import { SOL, SOLANA, Solana, builtFor, decode, encode, messageOf, newAddress } from './solana-swaps.js';
import { DOLLARS, eventually, newAddress as newEvmAddress, rejects, rejectsBadRequest, shared } from './swaps.js';

const causeway = shared();
const solana = new Solana(causeway);
const usdcOnBase = () => causeway.token(8453, 'USDC');

describe('a @solana/kit wallet takes a route, and the recipient is paid', { concurrency: true, timeout: 300_000 }, () => {
  test('SOL for USDC on Base: one transaction to sign, and a complete order', async () => {
    const [payer, recipient] = [await solana.payer(), newEvmAddress()];
    const taken = await solana.quoteAndBuild(payer, 'coin', [8453, await usdcOnBase()], SOL, { asked: { recipient } });
    const wire = builtFor(taken);
    assert.ok(wire.length <= 1_232, `${wire.length} bytes`);
    const message = messageOf(decode(wire));
    assert.deepEqual([message.version, message.header.numSignerAccounts, message.staticAccounts[0]], [0, 1, payer.address]);
    const order = await causeway.until(await solana.pay(taken, payer), 'filled');
    assert.equal(await causeway.balance(8453, order.toToken, recipient), BigInt(taken.offer.amountOut));
    assert.deepEqual(order.stepsCompleted, ['created', 'deposited', 'published', 'filled']);
    assert.deepEqual([order.author, order.recipient, order.refundTo, order.fromChainId], [payer.address, recipient, payer.address, SOLANA]);
    assert.equal((await solana.finalized(order.transactions.deposit.txHash)).err, null);
    await causeway.intent(order.intentId, 'Settled');
  });

  test('USDC on Base for SOL: a new wallet receives exactly the quoted amount', async () => {
    const [payer, recipient] = [await causeway.payer(8453, { USDC: 1_000n * DOLLARS }), await newAddress()];
    const quote = await causeway.request('POST', '/v1/quotes', {
      tradeType: 'EXACT_INPUT', fromChainId: 8453, fromToken: await usdcOnBase(), toChainId: SOLANA, toToken: SYSTEM,
      amount: String(100n * DOLLARS), fromAddress: payer.address, recipient,
    });
    const [route] = quote.routes;
    const deposit = await causeway.build(payer, quote, {}, route);
    const taken = { account: payer, chainId: 8453, quote, route: route.routeId, offer: route.quote, deposit };
    const order = await causeway.until(await causeway.pay(taken), 'filled');
    assert.equal(await solana.balance(SYSTEM, recipient), BigInt(route.quote.amountOut));
    assert.equal((await solana.finalized(order.transactions.fill.txHash)).err, null);
    await causeway.intent(order.intentId, 'Settled');
  });

  test('USDC on Base for USDC on Solana: the token account is created', async () => {
    const [payer, recipient] = [await causeway.payer(8453, { USDC: 1_000n * DOLLARS }), await newAddress()];
    const mint = await solana.token('USDC');
    const quote = await causeway.request('POST', '/v1/quotes', {
      tradeType: 'EXACT_INPUT', fromChainId: 8453, fromToken: await usdcOnBase(), toChainId: SOLANA, toToken: mint,
      amount: String(100n * DOLLARS), fromAddress: payer.address, recipient,
    });
    const deposit = await causeway.build(payer, quote);
    const taken = { account: payer, chainId: 8453, quote, route: quote.routes[0].routeId, deposit };
    await causeway.until(await causeway.pay(taken), 'filled');
    assert.equal(await solana.balance(mint, recipient), BigInt(quote.routes[0].quote.amountOut));
  });

  test('one SPL token for another, within Solana', async () => {
    const payer = await solana.payer({ USDC: 1_000n * DOLLARS });
    const recipient = await newAddress();
    const usdt = await solana.token('USDT');
    const taken = await solana.quoteAndBuild(payer, 'USDC', [SOLANA, usdt], 100n * DOLLARS, { asked: { recipient } });
    const order = await causeway.until(await solana.pay(taken, payer), 'filled');
    assert.equal(await solana.balance(usdt, recipient), BigInt(taken.offer.amountOut));
    assert.equal(await solana.balance(await solana.token('USDC'), payer.address), 900n * DOLLARS);
    await causeway.intent(order.intentId, 'Settled');
  });

  test('a wallet that sends the transaction itself submits the signature', async () => {
    const payer = await solana.payer({ USDC: 1_000n * DOLLARS });
    const recipient = newEvmAddress();
    const taken = await solana.quoteAndBuild(payer, 'USDC', [42161, await causeway.token(42161, 'USDC')], 50n * DOLLARS, { asked: { recipient } });
    const txHash = await solana.send(await solana.sign(payer, builtFor(taken)));
    const { orderId } = await causeway.submit(taken, { txHash });
    await causeway.until(orderId, 'filled');
    assert.equal(await causeway.balance(42161, await causeway.token(42161, 'USDC'), recipient), BigInt(taken.offer.amountOut));
  });

  test('a deposit that is never submitted is filled', async () => {
    const payer = await solana.payer();
    const recipient = newEvmAddress();
    const taken = await solana.quoteAndBuild(payer, 'coin', [8453, await usdcOnBase()], SOL / 2n, { asked: { recipient } });
    await solana.send(await solana.sign(payer, builtFor(taken)));
    const orders = () => causeway.get(`/v1/orders/${payer.address}`);
    const { data: [{ id }] } = await eventually(orders, ({ data }) => data.length === 1, 'an order');
    await causeway.until(id, 'filled');
  });
});

describe('swaps with Solana have at least two routes', { timeout: 180_000 }, () => {
  test('between Solana and every EVM chain, in both directions, and within Solana', async () => {
    const chains = (await causeway.get('/v1/chains')).map(({ id }) => id).filter((id) => id !== SOLANA);
    assert.ok(chains.length >= 18);
    const [evm, wallet] = [newEvmAddress(), await newAddress()];
    const ask = (more) => causeway.request('POST', '/v1/quotes', { tradeType: 'EXACT_INPUT', ...more });
    const price = async (token) => (token === SYSTEM ? SOL : 100n * DOLLARS);
    const ours = ['coin', 'USDC', 'USDT'];
    for (const symbol of ours) {
      const token = await solana.token(symbol);
      for (const chain of chains) {
        const coin = await causeway.token(chain, 'coin');
        const out = await ask({
          fromChainId: SOLANA, fromToken: token, toChainId: chain, toToken: coin, amount: String(await price(token)), fromAddress: wallet, recipient: evm,
        });
        assert.ok(out.routes.length >= 2, `${symbol} to ${chain}: ${out.routes.length}`);
        const back = await ask({
          fromChainId: chain, fromToken: coin, toChainId: SOLANA, toToken: token, amount: String(await worth(chain)), fromAddress: evm, recipient: wallet,
        });
        assert.ok(back.routes.length >= 2, `${chain} to ${symbol}: ${back.routes.length}`);
      }
      for (const other of ours.filter((other) => other !== symbol)) {
        const within = await ask({
          fromChainId: SOLANA, fromToken: token, toChainId: SOLANA, toToken: await solana.token(other), amount: String(await price(token)), fromAddress: wallet,
        });
        assert.ok(within.routes.length >= 2, `${symbol} to ${other}: ${within.routes.length}`);
      }
    }
  });

  /** About a hundred dollars in the native coin, by a quote for a hundred dollars. */
  async function worth(chain) {
    const coin = await causeway.token(chain, 'coin');
    const { routes } = await causeway.request('POST', '/v1/quotes', {
      tradeType: 'EXACT_INPUT', fromChainId: SOLANA, fromToken: await solana.token('USDC'), toChainId: chain, toToken: coin,
      amount: String(100n * DOLLARS), fromAddress: await newAddress(), recipient: newEvmAddress(),
    });
    return routes[0].quote.amountOut;
  }
});

describe('a signed transaction must match the build', { concurrency: true, timeout: 240_000 }, () => {
  let payer;
  let taken;
  let signed;
  const submit = (signedTransaction) => causeway.submit(taken, { signedTransaction });
  const text = (wire) => wire.toString('base64');
  /** Changes the message of the built transaction and signs it again. */
  const changed = async (change) => {
    const transaction = decode(builtFor(taken));
    const message = kit.getCompiledTransactionMessageEncoder().encode(change(messageOf(transaction)));
    const [signatures] = await payer.signTransactions([{ ...transaction, messageBytes: message }]);
    return text(encode({ messageBytes: message, signatures: { ...transaction.signatures, ...signatures } }));
  };
  before(async () => {
    payer = await solana.payer({ USDC: 1_000n * DOLLARS });
    taken = await solana.quoteAndBuild(payer, 'USDC', [8453, await usdcOnBase()], 10n * DOLLARS, { asked: { recipient: newEvmAddress() } });
    signed = await solana.sign(payer, builtFor(taken));
  });
  const code = 'MESSAGE_MISMATCH';

  test('not base58 instead of base64', async () => {
    await rejects(submit(kit.getBase58Decoder().decode(signed)), 400, 'ValidationException');
  });
  test('not base64 of other data', async () => {
    await rejectsBadRequest(submit(Buffer.from('not a transaction').toString('base64')));
  });
  test('not an EVM hash', async () => {
    await rejects(causeway.submit(taken, { txHash: `0x${'ab'.repeat(32)}` }), 400, 'ValidationException', { message: /base58/ });
  });
  test('not without a signature', async () => {
    await rejectsBadRequest(submit(text(builtFor(taken))), { code, message: /sign/ });
  });
  test('not with an invalid signature', async () => {
    const wrong = Buffer.from(signed);
    wrong[10] ^= 1;
    await rejectsBadRequest(submit(text(wrong)), { code, message: /sign/ });
  });
  test('not a legacy transaction', async () => {
    await rejectsBadRequest(submit(await changed((message) => ({ ...message, version: 'legacy' }))), { code, message: /version|legacy/i });
  });
  test('not with an additional instruction', async () => {
    const more = (message) => ({ ...message, instructions: [...message.instructions, message.instructions.at(-1)] });
    await rejectsBadRequest(submit(await changed(more)), { code, message: /instruction/ });
  });
  test('not with another amount or destination', async () => {
    const other = (message) => ({
      ...message,
      instructions: message.instructions.map((instruction) => {
        if ((instruction.data?.length ?? 0) < 200) return instruction;
        const data = Uint8Array.from(instruction.data);
        data[data.length - 1] ^= 1;
        return { ...instruction, data };
      }),
    });
    await rejectsBadRequest(submit(await changed(other)), { code, message: /other terms/ });
  });
  test('not of another order', async () => {
    const other = await solana.quoteAndBuild(payer, 'USDC', [8453, await usdcOnBase()], 11n * DOLLARS, { asked: { recipient: newEvmAddress() } });
    await rejectsBadRequest(submit(text(await solana.sign(payer, builtFor(other)))), { code });
  });
  test('not with more bytes than a transaction may have', async () => {
    await rejectsBadRequest(submit(text(Buffer.concat([signed, Buffer.alloc(2_000)]))));
  });
});

describe('an invalid payer or recipient is rejected', { concurrency: true, timeout: 180_000 }, () => {
  test('a payer without enough SOL for the deposit', async () => {
    const payer = await solana.payer({ coin: SOL / 1_000n, USDC: 100n * DOLLARS });
    const quote = await solana.quote(payer, 'USDC', [8453, await usdcOnBase()], 10n * DOLLARS, { recipient: newEvmAddress() });
    await rejectsBadRequest(causeway.build(payer, quote), { message: /SOL/ });
  });
  test('a payer without a token account', async () => {
    const payer = await solana.payer();
    const quote = await solana.quote(payer, 'USDC', [8453, await usdcOnBase()], 10n * DOLLARS, { recipient: newEvmAddress() });
    await rejectsBadRequest(causeway.build(payer, quote), { message: /no token account/ });
  });
  test('an EVM address as the recipient of a Solana payout', async () => {
    const asked = {
      tradeType: 'EXACT_INPUT', fromChainId: 8453, fromToken: await usdcOnBase(), toChainId: SOLANA, toToken: SYSTEM,
      amount: String(100n * DOLLARS), fromAddress: newEvmAddress(), recipient: newEvmAddress(),
    };
    await rejects(causeway.request('POST', '/v1/quotes', asked), 400, 'ValidationException');
  });
});
