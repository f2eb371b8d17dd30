// Whole swaps against a service that does not do its part. Swaps that end well run on real chains, among the service's tests.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { createClient, executeSwap } from '@causeway/sdk';
import { fromWalletStandard } from '@causeway/sdk/solana';
import { Server } from '../server.js';
import { base58, depositOf } from '../solana.js';

// The honest answers of the table of lies, which has its own test.
const table = JSON.parse(await readFile(new URL('../../../../tests/cases/lies.json', import.meta.url), 'utf8'));
const { ask } = table;
const PAYER = ask.fromAddress;
const TOKEN = ask.fromToken.toLowerCase();
const ESCROW = table.deposits.CONTRACT_CALL.recovery.escrow.toLowerCase();

const ok = (json) => ({ status: 200, json });
const quote = () => ok(table.quote);
const terms = (changed = {}) => ({ ...table.deposits.CONTRACT_CALL.terms, ...changed });
const built = (changed = {}) => ok({ ...table.deposits.CONTRACT_CALL, ...changed });
const submitted = ok({ orderId: 'o1', txHash: '0x02' });
const order = (status) => ok({
  id: 'o1', type: 'native-filler', quoteId: 'q1', routeId: 'north', status, fromChainId: 8453, toChainId: 1, srcAmount: '1000',
  destAmount: '300', author: PAYER, tradeType: 'EXACT_INPUT', createdAt: 'x', updatedAt: 'x', transactions: {}, timestamps: { createdAt: 'x' },
  stepsCompleted: [], failureReason: 'Nobody delivered in time.',
});

/** A wallet that notes what it is asked for, and can be told to refuse or to leave a receipt open. */
function hand({ refuses, unmined } = {}) {
  const sent = [];
  const request = async ({ method, params }) => {
    if (method === 'eth_accounts') return [PAYER.toUpperCase().replace('0X', '0x')];
    if (method === 'wallet_switchEthereumChain') return null;
    if (method === 'eth_getTransactionReceipt') return unmined ? unmined() : { status: '0x1' };
    if (method !== 'eth_sendTransaction') return null;
    if (refuses) throw Object.assign(new Error('The person said no.'), { code: 4001 });
    sent.push(params[0]);
    return `0x${String(sent.length).padStart(64, '0')}`;
  };
  return { sent, request };
}

/** Runs a swap; returns how it ended and what the service was asked. */
async function swap(wallet, answers, options = {}, asked = ask) {
  const server = await Server.start(answers);
  try {
    const executing = executeSwap(createClient({ baseUrl: server.url }), asked, wallet, {
      interval: 500, retryDelay: 500, ...table.bound, escrows: table.escrows, ...options,
    });
    const ended = await executing.then((value) => ({ value }), (error) => ({ error }));
    return { ...ended, asked: server.seen.map(({ method, path }) => `${method} ${path}`), seen: server.seen };
  } finally {
    server.stop();
  }
}

const QUOTE = 'POST /v1/quotes';
const BUILD = 'POST /v1/deposit/build';
const SUBMIT = 'PUT /v1/deposit/submit';

describe('a swap', { concurrency: true }, () => {
  it('tells of its deposit until the service has heard', async () => {
    const wallet = hand();
    const busy = { status: 500, json: { name: 'InternalErrorException', message: 'x' } };
    const { value, asked, seen } = await swap(wallet, [quote(), built(), { end: 'reset' }, busy, submitted, order('filled')]);
    assert.equal(value.status, 'filled');
    assert.deepEqual(asked, [QUOTE, BUILD, SUBMIT, SUBMIT, SUBMIT, 'GET /v1/orders/by-id/o1']);
    assert.deepEqual(wallet.sent.map(({ to }) => to), [TOKEN, ESCROW]);
    assert.deepEqual(JSON.parse(seen[4].body), { quoteId: 'q1', routeId: 'north', txHash: `0x${'2'.padStart(64, '0')}` });
    assert.deepEqual(JSON.parse(seen[0].body).depositMethods, ['CONTRACT_CALL']);
  });

  it('whose order was refunded is no success', async () => {
    const { error } = await swap(hand(), [quote(), built(), submitted, order('refunded')]);
    assert.deepEqual([error.code, error.message], ['SVC3008', 'The order was refunded: Nobody delivered in time.']);
    assert.equal(error.details.order.id, 'o1');
  });

  it('that the wallet refuses ends in the wallet\'s own words', async () => {
    const { error, asked } = await swap(hand({ refuses: true }), [quote(), built()]);
    assert.deepEqual([error.code, error.message, error.cause.code], ['SVC3007', 'The person said no.', 4001]);
    assert.deepEqual(asked, [QUOTE, BUILD]);
  });

  it('whose approval is reverted sends no deposit', async () => {
    const wallet = hand({ unmined: () => ({ status: '0x0' }) });
    const { error } = await swap(wallet, [quote(), built()]);
    assert.equal(error.code, 'SVC3007');
    assert.equal(wallet.sent.length, 1);
  });

  it('that is aborted while an approval is mined sends no deposit', async () => {
    const stop = new AbortController();
    const wallet = hand({ unmined: () => { stop.abort(); return null; } });
    const { error, asked } = await swap(wallet, [quote(), built()], { signal: stop.signal });
    assert.equal(error.name, 'ApiAbortedError');
    assert.equal(wallet.sent.length, 1);
    assert.deepEqual(asked, [QUOTE, BUILD]);
  });

  it('without a route that is liked is none', async () => {
    assert.equal((await swap(hand(), [ok({ quoteId: 'q1', routes: [] })])).error.code, 'SVC3004');
    assert.equal((await swap(hand(), [quote()], { accept: () => false })).error.code, 'SVC3004');
  });

  it('for another address than the wallet\'s is refused before anything is asked', async () => {
    const { error, asked } = await swap(hand(), [quote()], {}, { ...ask, fromAddress: ESCROW });
    assert.equal(error.code, 'SVC3007');
    assert.deepEqual(asked, []);
  });

  it('from Solana is signed by a wallet of the standard and handed to the service', async () => {
    const [payer, escrow] = [Buffer.alloc(32, 0xaa), Buffer.alloc(32, 0xe5)];
    const address = base58(payer);
    const signed = [];
    const wallet = {
      name: 'Standard',
      features: { 'solana:signTransaction': { signTransaction: async ({ account, transaction, chain }) => {
        assert.deepEqual([account, chain], [{ address }, 'solana:mainnet']);
        signed.push(transaction);
        return [{ signedTransaction: Uint8Array.from([...transaction, 255]) }];
      } } },
    };
    const key = (bytes) => `0x${bytes.toString('hex')}`;
    const asked = { ...ask, fromChainId: 20_011_000_000, fromToken: '1'.repeat(32), fromAddress: address, recipient: PAYER };
    const agreed = terms({
      originChainId: '20011000000', destinationChainId: '1', escrow: key(escrow), inputToken: key(Buffer.alloc(32)), user: key(payer), refundTo: key(payer),
    });
    const bytes = await depositOf(agreed);
    const transaction = Buffer.from(bytes).toString('base64');
    const solana = (changed) => built({
      recovery: { chainId: 20_011_000_000, escrow: base58(escrow), refundAfter: 1 },
      approvals: [{ type: 'solana_sendTransaction', transaction, deposit: true, ...changed }], terms: agreed,
    });
    const signer = fromWalletStandard(wallet, { address });
    const options = { escrows: { 20_011_000_000: base58(escrow) } };
    const { value, error, seen } = await swap(signer, [quote(), solana(), submitted, order('filled')], options, asked);
    assert.equal(value?.status, 'filled', error?.stack);
    const signedTransaction = Buffer.from([...bytes, 255]).toString('base64');
    assert.deepEqual(JSON.parse(seen[2].body), { quoteId: 'q1', routeId: 'north', signedTransaction });
    const theft = Buffer.from(await depositOf({ ...agreed, amountIn: '1001' })).toString('base64');
    for (const lie of [{ transaction: theft }, { transaction: 'no base64!' }]) {
      assert.equal((await swap(signer, [quote(), solana(lie)], options, asked)).error.code, 'SVC3003');
    }
    assert.equal(signed.length, 1);
    const evm = { ...asked, fromAddress: PAYER, refundTo: address };
    assert.equal((await swap(hand(), [quote(), solana()], options, evm)).error.code, 'SVC3003');
  });

  it('on Solana needs a wallet that signs for it', () => {
    assert.throws(() => fromWalletStandard({ name: 'Other', features: {} }, { address: 'x' }), /Other does not sign/);
  });
});
