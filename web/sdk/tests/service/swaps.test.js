// Swaps on the sandbox's chains, signed by wallet libraries.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCauseway, SOLANA_CHAIN_ID as SOLANA } from '@causeway/sdk';
import { fromEthers } from '@causeway/sdk/ethers';
import { fromWalletStandard } from '@causeway/sdk/solana';
import { fromViem } from '@causeway/sdk/viem';
import { JsonRpcProvider, Wallet } from 'ethers';
import { batchingWallet } from '../batch-wallet.js';
import { BASE, COIN, fund, payer, reader, rpc, swapOf, USDC, usdcOf, walletOf } from '../sandbox.js';
import { standardWallet } from '../solana.js';

const causeway = createCauseway({ baseUrl: BASE });

/** Executes a swap and checks the reported steps. */
async function swap(ask, wallet, options = {}) {
  const steps = [];
  const events = [];
  const order = await causeway.executeSwap(ask, wallet, {
    onStep: (step) => steps.push(step.type), onEvent: (event) => events.push(event.status), minAmountOut: '1', ...options,
  });
  assert.equal(order.status, 'filled');
  assert.deepEqual(steps.slice(0, 4), ['bounded', 'quoted', 'chosen', 'built']);
  assert.ok(order.transactions.fill.txHash);
  assert.equal((await causeway.getOrderOf(ask.fromAddress, order.id)).status, 'filled');
  assert.equal((await causeway.getIntent(order.intentId)).intentId, order.intentId);
  return { order, steps, events };
}

describe('a swap', { concurrency: true }, () => {
  it('is signed by viem and reports its events', async () => {
    const { account } = await payer();
    const { steps, events } = await swap(swapOf(account.address), fromViem(walletOf(8453, account)));
    assert.deepEqual(steps.filter((step) => step === 'sent').length, 2, 'the approval and the deposit');
    assert.equal(events.at(-1), 'filled');
    assert.equal(await usdcOf(account.address), 75_000_000n);
  });

  it('is one transaction of a wallet that takes atomic batches', async () => {
    const { account } = await payer();
    const methods = [];
    const wallet = batchingWallet(account);
    const request = (args) => (methods.push(args.method), wallet.request(args));
    const { order, steps } = await swap(swapOf(account.address), { request });
    assert.deepEqual(steps.slice(4, 7), ['batched', 'sent', 'submitted']);
    assert.deepEqual(methods.filter((method) => /send|sign/i.test(method)), ['wallet_sendCalls']);
    assert.equal(await reader(8453).getTransactionCount({ address: account.address }), 2, 'the delegation has a nonce of its own');
    assert.equal((await reader(8453).getTransaction({ hash: order.transactions.deposit.txHash })).type, 'eip7702');
    assert.equal(await usdcOf(account.address), 75_000_000n);
  });

  it('is signed by ethers', async () => {
    const { key, account } = await payer();
    const provider = new JsonRpcProvider(rpc(8453), 8453, { pollingInterval: 100, cacheTimeout: -1 });
    try {
      await swap(swapOf(account.address, { fromToken: COIN, toToken: COIN, amount: '1000000000000000' }), fromEthers(new Wallet(key, provider)));
    } finally {
      provider.destroy();
    }
  });

  it('by permit is deposited by the service', async () => {
    const { key, account } = await payer();
    const provider = new JsonRpcProvider(rpc(8453), 8453, { pollingInterval: 100, cacheTimeout: -1 });
    try {
      await swap(swapOf(account.address), fromEthers(new Wallet(key, provider)), { depositMethod: 'PERMIT2' });
      await swap(swapOf(account.address), fromViem(walletOf(8453, account)), { depositMethod: 'PERMIT2' });
    } finally {
      provider.destroy();
    }
  });

  it('from Solana is signed by a Wallet Standard wallet', async () => {
    const { wallet, account } = standardWallet();
    const sol = '1'.repeat(32);
    await fund(SOLANA, account.address, sol, 10n ** 10n);
    const funded = async () => (await causeway.getBalances(account.address, { chainIds: [SOLANA] })).tokens.length > 0;
    while (!(await funded())) await sleep(200);
    const { account: { address: recipient } } = await payer();
    const changes = { fromChainId: SOLANA, fromToken: sol, toChainId: 8453, toToken: USDC, amount: '1000000000', recipient };
    const { order } = await swap(swapOf(account.address, changes), fromWalletStandard(wallet, account));
    assert.equal(order.transactions.deposit.chainId, SOLANA);
    assert.equal(await usdcOf(recipient), 100_000_000n + BigInt(order.destAmount));
  });

  it('is found by its deposit', async () => {
    const { account } = await payer();
    const hashes = [];
    const onStep = (step) => step.type === 'sent' && step.deposit && hashes.push(step.txHash);
    const order = await causeway.executeSwap(swapOf(account.address), fromViem(walletOf(8453, account)), { onStep, minAmountOut: '1' });
    assert.equal((await causeway.getIntentByDeposit({ chainId: 8453, txHash: hashes[0] })).intentId, order.intentId);
  });

  it('on a chain other than the wallet client\'s rejects before a transaction is sent', async () => {
    const { account } = await payer();
    const executing = causeway.executeSwap(swapOf(account.address), fromViem(walletOf(1, account)), { minAmountOut: '1' });
    await assert.rejects(executing, { code: 'SVC3007', message: 'The wallet client is on chain 1, but the deposit is on chain 8453.' });
    assert.equal(await usdcOf(account.address), 100_000_000n);
  });

  it('for an address other than the wallet\'s rejects before any request', async () => {
    const { account } = await payer();
    const executing = causeway.executeSwap(swapOf(USDC), fromViem(walletOf(8453, account)), { minAmountOut: '1' });
    await assert.rejects(executing, { code: 'SVC3007' });
  });
});
