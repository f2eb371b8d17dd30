// Approval and deposit as one atomic batch of the wallet (EIP-5792), and when they are sent one by one instead.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { createClient, executeSwap, waitForBatch } from '@causeway/sdk';
import { fromEthers } from '@causeway/sdk/ethers';
import { fromViem } from '@causeway/sdk/viem';
import { Server } from '../server.js';
import { timed } from '../timed.js';

const table = JSON.parse(await readFile(new URL('../../../../tests/cases/lies.json', import.meta.url), 'utf8'));
const { ask, deposits: { CONTRACT_CALL: deposit } } = table;
const ESCROW = deposit.recovery.escrow.toLowerCase();
const SUPPORTED = { '0x2105': { atomic: { status: 'supported' } } };
const [BATCH_TX, APPROVAL_TX, DEPOSIT_TX] = ['b', '1', '2'].map((digit) => `0x${digit.repeat(64)}`);

const mined = (transactionHash = BATCH_TX, status = '0x1') => ({ transactionHash, status, logs: [{ address: ESCROW.toUpperCase().replace('0X', '0x') }] });
const approved = { transactionHash: APPROVAL_TX, status: '0x1', logs: [{ address: ask.fromToken }] };
const failure = (code, message = 'The wallet says no.') => Object.assign(new Error(message), { code });

/**
 * A wallet with batches. `capabilities` and `send` are what it returns, or an error that it throws; `statuses` are its answers to
 * `wallet_getCallsStatus`, the last one for good.
 */
function walletOf({ capabilities = SUPPORTED, send = { id: 'batch-1' }, statuses = [{ status: 200, receipts: [mined()] }] } = {}) {
  const [asked, sent, batches] = [[], [], []];
  const give = (answer) => {
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const request = async ({ method, params }) => {
    asked.push(method);
    switch (method) {
      case 'eth_accounts': return [ask.fromAddress];
      case 'eth_sendTransaction': return sent.push(params[0]) === 1 ? APPROVAL_TX : DEPOSIT_TX;
      case 'eth_getTransactionReceipt': return { status: '0x1' };
      case 'wallet_getCapabilities':
        assert.deepEqual(params, [ask.fromAddress, ['0x2105']]);
        return typeof capabilities === 'function' ? capabilities() : give(capabilities);
      case 'wallet_sendCalls':
        batches.push(params[0]);
        return give(send);
      case 'wallet_getCallsStatus':
        assert.deepEqual(params, ['batch-1']);
        return give(statuses.length > 1 ? statuses.shift() : statuses[0]);
      default: return null;
    }
  };
  return { asked, sent, batches, request };
}

/** Runs a swap; returns its result, its steps and the body of the submission. */
async function swap(wallet, { built = deposit, ...options } = {}) {
  const steps = [];
  const server = await Server.start([table.quote, built, table.submitted, table.order].map((json) => ({ status: 200, json })));
  try {
    const executing = executeSwap(createClient({ baseUrl: server.url }), ask, wallet, { ...table.bound, escrows: table.escrows, onStep: (step) => steps.push(step), ...options });
    const result = await executing.then((value) => ({ value }), (error) => ({ error }));
    const submitted = server.requests[2] && JSON.parse(server.requests[2].body).txHash;
    return { ...result, submitted, steps: steps.filter(({ type }) => ['batched', 'sent'].includes(type)) };
  } finally {
    server.stop();
  }
}

describe('approval and deposit are one batch', { concurrency: true }, () => {
  const announcements = {
    'atomic, supported': SUPPORTED,
    'atomic, after an upgrade of the account': { '0x2105': { atomic: { status: 'ready' } } },
    'atomic on all chains': { '0x0': { atomic: { status: 'supported' } } },
    'atomic, with an identifier of another form': { '0x02105': { atomic: { status: 'supported' } } },
    'by a draft of the standard': { '0x2105': { atomicBatch: { supported: true } } },
  };
  for (const [name, capabilities] of Object.entries(announcements)) {
    it(`of a wallet that announces them: ${name}`, async () => {
      const wallet = walletOf({ capabilities });
      const { value, error, submitted, steps } = await swap(wallet);
      assert.equal(value?.status, 'filled', error?.stack);
      assert.equal(submitted, BATCH_TX);
      assert.deepEqual(steps, [{ type: 'batched', batchId: 'batch-1', escrow: ESCROW }, { type: 'sent', txHash: BATCH_TX, deposit: true }]);
      assert.deepEqual([wallet.batches.length, wallet.sent], [1, []]);
      const [{ calls, ...batch }] = wallet.batches;
      assert.deepEqual(batch, { version: '2.0.0', chainId: '0x2105', from: ask.fromAddress, atomicRequired: true });
      assert.deepEqual(calls.map((call) => [Object.keys(call).sort(), call.to]), [[['data', 'to', 'value'], ask.fromToken.toLowerCase()], [['data', 'to', 'value'], ESCROW]]);
      assert.ok(wallet.asked.indexOf('wallet_switchEthereumChain') < wallet.asked.indexOf('wallet_sendCalls'), 'the chain is chosen first');
    });
  }

  it('which is followed until it has a receipt', async () => {
    const statuses = [{ status: 100 }, failure(-32603), { status: 'PENDING' }, { status: 200 }, { status: 200, receipts: [mined()] }];
    const { submitted } = await swap(walletOf({ send: 'batch-1', statuses }));
    assert.equal(submitted, BATCH_TX);
  });

  it('and the deposit\'s receipt is found among several', async () => {
    const receipts = [mined(DEPOSIT_TX), approved];
    assert.equal((await swap(walletOf({ statuses: [{ status: 200, receipts }] }))).submitted, DEPOSIT_TX);
    const bare = [approved, { transactionHash: DEPOSIT_TX, status: '0x1' }].map(({ logs, ...receipt }) => receipt);
    assert.equal((await swap(walletOf({ statuses: [{ status: 'CONFIRMED', receipts: bare }] }))).submitted, DEPOSIT_TX);
  });

  it('through viem, which sends it once', async () => {
    const wallet = walletOf();
    const requests = [];
    const client = {
      account: { address: ask.fromAddress, type: 'json-rpc' }, getChainId: async () => 8453,
      request: (args, options) => (requests.push([args.method, options]), wallet.request(args)),
    };
    assert.equal((await swap(fromViem(client))).submitted, BATCH_TX);
    assert.deepEqual(requests.find(([method]) => method === 'wallet_sendCalls')[1], { retryCount: 0 });
  });

  it('through ethers, which puts the wallet\'s error into its own', async () => {
    const wallet = walletOf({ send: failure('UNKNOWN_ERROR', 'could not coalesce error') });
    const signer = (error) => fromEthers({
      getAddress: async () => ask.fromAddress,
      sendTransaction: async (transaction) => ({ hash: await wallet.request({ method: 'eth_sendTransaction', params: [transaction] }) }),
      provider: {
        getNetwork: async () => ({ chainId: 8453n }),
        send: (method, params) => wallet.request({ method, params }).catch((thrown) => Promise.reject(Object.assign(thrown, { info: { error } }))),
      },
    });
    assert.equal((await swap(signer({ code: 5750 }))).submitted, DEPOSIT_TX);
    assert.equal((await swap(signer({ code: -32603 }))).error.code, 'SVC3007');
    assert.equal(wallet.sent.length, 2);
  });
});

describe('approval and deposit are sent one by one', { concurrency: true }, () => {
  const isSequential = async (wallet) => {
    const { value, error, submitted, steps } = await swap(wallet);
    assert.equal(value?.status, 'filled', error?.stack);
    assert.deepEqual([submitted, wallet.sent.length], [DEPOSIT_TX, 2]);
    assert.deepEqual(steps.map(({ type, txHash }) => [type, txHash]), [['sent', APPROVAL_TX], ['sent', DEPOSIT_TX]]);
  };
  const without = {
    'has no such method': failure(-32601), 'does not allow the method': failure(4200), 'fails': new Error('x'), 'answers null': null, 'answers a text': 'yes',
    'announces nothing': {}, 'announces null': { '0x2105': null }, 'announces no batches': { '0x2105': { atomic: { status: 'unsupported' }, atomicBatch: { supported: false } } },
    'announces them on another chain': { '0x1': { atomic: { status: 'supported' } } }, 'announces them in words of its own': { '0x2105': { atomic: { status: 'maybe' }, atomicBatch: { supported: 'false' } } },
  };
  for (const [name, capabilities] of Object.entries(without)) {
    it(`if the wallet ${name}`, async () => {
      const wallet = walletOf({ capabilities });
      await isSequential(wallet);
      assert.deepEqual(wallet.batches, []);
    });
  }

  for (const code of [4100, 4200, 5700, 5710, 5740, 5750, 5760, -32601, -32602, -32004]) {
    it(`if the wallet does not take the batch, with the code ${code}`, async () => {
      const wallet = walletOf({ send: failure(code) });
      await isSequential(wallet);
      assert.equal(wallet.batches.length, 1);
      await isSequential(walletOf({ send: Object.assign(new Error('x'), { code: -32603, data: { originalError: { code } } }) }));
    });
  }

  it('if the wallet never answers what it is capable of', async () => {
    const wallet = walletOf({ capabilities: () => new Promise(() => {}) });
    await isSequential(wallet);
  });

  it('if there is one transaction only', async () => {
    const built = { ...deposit, approvals: deposit.approvals.filter((approval) => approval.deposit || approval.request.method !== 'eth_sendTransaction') };
    const wallet = walletOf();
    const { value, error } = await swap(wallet, { built });
    assert.equal(value?.status, 'filled', error?.stack);
    assert.deepEqual([wallet.sent.length, wallet.asked.includes('wallet_getCapabilities')], [1, false]);
  });

  it('by a local key of viem, whose node is not asked', async () => {
    const client = { account: { address: ask.fromAddress, type: 'local' }, request: async () => assert.fail('a request'), getChainId: async () => 8453 };
    await assert.rejects(fromViem(client).request({ method: 'wallet_sendCalls', params: [{}] }), { code: 4200 });
    await assert.rejects(fromViem(client).request({ method: 'wallet_getCapabilities', params: [] }), { code: 4200 });
  });
});

describe('nothing else is sent', { concurrency: true }, () => {
  const ends = async (options, message, cause) => {
    const wallet = walletOf(options);
    const { error, submitted } = await swap(wallet);
    assert.deepEqual([error?.code, error?.message], ['SVC3007', message]);
    assert.deepEqual([wallet.batches.length, wallet.sent, submitted], [1, [], undefined]);
    if (cause) assert.equal(error.cause.code, cause);
  };

  it('if the person rejects the batch', () => ends({ send: failure(4001, 'User rejected the request.') }, 'User rejected the request.', 4001));

  for (const error of [failure(-32603, 'Internal error.'), failure(-32000, 'Nonce too low.'), failure(5720, 'Known identifier.'), new Error('The connection was lost.')]) {
    it(`if the batch may have been sent: ${error.message}`, () => ends({ send: error }, error.message));
  }

  it('if the wallet returns no identifier', async () => {
    const wallet = walletOf({ send: null });
    const { error } = await swap(wallet);
    assert.deepEqual([error.code, error.message, wallet.sent], ['SVC3003', 'The wallet did not return an identifier of the batch.', []]);
  });

  const endings = [
    [{ status: 400 }, 'The batch batch-1 was not sent.'],
    [{ status: 500, receipts: [mined(BATCH_TX, '0x0')] }, 'The batch batch-1 was reverted.'],
    [{ status: 600, receipts: [approved] }, 'The batch batch-1 was executed in part, without the deposit; an approval may remain.'],
    [{ status: 600, receipts: [approved, mined(DEPOSIT_TX, '0x0')] }, 'The batch batch-1 was executed in part, without the deposit; an approval may remain.'],
    [{ status: 'CONFIRMED', receipts: [mined(BATCH_TX, '0x0')] }, 'The batch batch-1 was reverted.'],
    [failure(5730, 'Unknown batch.'), 'The batch batch-1 was sent, but the wallet does not tell its status: Unknown batch.'],
  ];
  for (const [status, message] of endings) {
    it(`if the batch ends with ${status.status ?? 'an error'}: ${message}`, () => ends({ statuses: [status] }, message));
  }

  it('but a deposit that was executed is submitted, if only a part of the batch was', async () => {
    const { submitted } = await swap(walletOf({ statuses: [{ status: 600, receipts: [{ ...approved, status: '0x0' }, mined(DEPOSIT_TX)] }] }));
    assert.equal(submitted, DEPOSIT_TX);
  });

  it('if the caller aborts before the batch, and nothing is submitted if it aborts while it is pending', async () => {
    for (const moment of ['wallet_getCapabilities', 'wallet_getCallsStatus']) {
      const stop = new AbortController();
      const wallet = walletOf({ statuses: [{ status: 100 }] });
      const request = (args) => {
        if (args.method === moment) stop.abort();
        return wallet.request(args);
      };
      const { error, submitted } = await swap({ request }, { signal: stop.signal });
      assert.equal(error.name, 'ApiAbortedError');
      assert.deepEqual([wallet.batches.length, wallet.sent, submitted], [moment === 'wallet_getCapabilities' ? 0 : 1, [], undefined]);
    }
  });
});

describe('a batch of an earlier visit', () => {
  const batch = { batchId: 'batch-1', escrow: ESCROW };

  it('is followed to its deposit', async () => {
    assert.equal(await waitForBatch(walletOf(), batch), BATCH_TX);
  });

  it('that the wallet no longer knows is told as such', async () => {
    const waiting = waitForBatch(walletOf({ statuses: [failure(5730, 'Unknown batch.')] }), batch);
    await assert.rejects(waiting, { code: 'SVC3007', message: /batch-1 was sent, but the wallet does not tell its status: Unknown batch/ });
  });

  it('that is never executed times out with its identifier', async () => {
    const { error, seconds } = await timed(() => waitForBatch(walletOf({ statuses: [{ status: 100 }] }), batch));
    assert.match(error.message, /The batch batch-1 was sent but not mined within 5 minutes/);
    assert.ok(seconds >= 299 && seconds <= 310, String(seconds));
  });

  it('is no longer followed after an abort', async () => {
    const stop = new AbortController();
    const waiting = waitForBatch(walletOf({ statuses: [{ status: 100 }] }), batch, { signal: stop.signal });
    stop.abort();
    await assert.rejects(waiting, { name: 'ApiAbortedError' });
  });
});
