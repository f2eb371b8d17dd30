// Swaps against a faulty service. Successful swaps are tested on real chains, in `tests/service`.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { createClient, executeSwap } from '@causeway/sdk';
import { fromSigner, fromWalletStandard } from '@causeway/sdk/solana';
import { Server } from '../server.js';
import { base58, depositOf, transactionOf } from '../solana.js';

// The honest responses of `lies.json`.
const table = JSON.parse(await readFile(new URL('../../../../tests/cases/lies.json', import.meta.url), 'utf8'));
const { ask } = table;
const PAYER = ask.fromAddress;
const TOKEN = ask.fromToken.toLowerCase();
const ESCROW = table.deposits.CONTRACT_CALL.recovery.escrow.toLowerCase();

const ok = (json) => ({ status: 200, json });
const quote = () => ok(table.quote);
const terms = (changes = {}) => ({ ...table.deposits.CONTRACT_CALL.terms, ...changes });
const built = (changes = {}) => ok({ ...table.deposits.CONTRACT_CALL, ...changes });
const submitted = ok({ orderId: 'o1', txHash: '0x02' });
const order = (status) => ok({
  id: 'o1', type: 'native-filler', quoteId: 'q1', routeId: 'north', status, fromChainId: 8453, toChainId: 1, srcAmount: '1000',
  destAmount: '300', author: PAYER, tradeType: 'EXACT_INPUT', createdAt: 'x', updatedAt: 'x', transactions: {}, timestamps: { createdAt: 'x' },
  stepsCompleted: [], failureReason: 'The fill deadline has passed.',
});

/** A wallet that records its transactions. `rejects` makes it reject them; `receipt` replaces the receipt. */
function walletOf({ rejects, receipt } = {}) {
  const sent = [];
  const request = async ({ method, params }) => {
    if (method === 'eth_accounts') return [PAYER.toUpperCase().replace('0X', '0x')];
    if (method === 'wallet_switchEthereumChain') return null;
    if (method === 'eth_getTransactionReceipt') return receipt ? receipt() : { status: '0x1' };
    if (method !== 'eth_sendTransaction') return null;
    if (rejects) throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
    sent.push(params[0]);
    return `0x${String(sent.length).padStart(64, '0')}`;
  };
  return { sent, request };
}

/** Runs a swap; returns its result and the requests to the service. */
async function swap(wallet, responses, options = {}, quoteAsk = ask) {
  const server = await Server.start(responses);
  try {
    const executing = executeSwap(createClient({ baseUrl: server.url }), quoteAsk, wallet, {
      interval: 500, retryDelay: 500, ...table.bound, escrows: table.escrows, ...options,
    });
    const result = await executing.then((value) => ({ value }), (error) => ({ error }));
    const calls = server.requests.map(({ method, path }) => `${method} ${path}`);
    return { ...result, calls, requests: server.requests };
  } finally {
    server.stop();
  }
}

const QUOTE = 'POST /v1/quotes';
const BUILD = 'POST /v1/deposit/build';
const SUBMIT = 'PUT /v1/deposit/submit';

describe('a swap', { concurrency: true }, () => {
  it('retries submitting its deposit', async () => {
    const wallet = walletOf();
    const busy = { status: 500, json: { name: 'InternalErrorException', message: 'x' } };
    const { value, calls, requests } = await swap(wallet, [quote(), built(), { end: 'reset' }, busy, submitted, order('filled')]);
    assert.equal(value.status, 'filled');
    assert.deepEqual(calls, [QUOTE, BUILD, SUBMIT, SUBMIT, SUBMIT, 'GET /v1/orders/by-id/o1']);
    assert.deepEqual(wallet.sent.map(({ to }) => to), [TOKEN, ESCROW]);
    assert.deepEqual(JSON.parse(requests[4].body), { quoteId: 'q1', routeId: 'north', txHash: `0x${'2'.padStart(64, '0')}` });
    assert.deepEqual(JSON.parse(requests[0].body).depositMethods, ['CONTRACT_CALL']);
  });

  it('rejects if the order was refunded', async () => {
    const { error } = await swap(walletOf(), [quote(), built(), submitted, order('refunded')]);
    assert.deepEqual([error.code, error.message], ['SVC3008', 'The order was refunded: The fill deadline has passed.']);
    assert.equal(error.details.order.id, 'o1');
  });

  it('rejects with the message of a wallet that rejects', async () => {
    const { error, calls } = await swap(walletOf({ rejects: true }), [quote(), built()]);
    assert.deepEqual([error.code, error.message, error.cause.code], ['SVC3007', 'User rejected the request.', 4001]);
    assert.deepEqual(calls, [QUOTE, BUILD]);
  });

  it('sends no deposit if the approval reverts', async () => {
    const wallet = walletOf({ receipt: () => ({ status: '0x0' }) });
    const { error } = await swap(wallet, [quote(), built()]);
    assert.equal(error.code, 'SVC3007');
    assert.equal(wallet.sent.length, 1);
  });

  it('sends no deposit if it is aborted while the approval is pending', async () => {
    const stop = new AbortController();
    const wallet = walletOf({ receipt: () => { stop.abort(); return null; } });
    const { error, calls } = await swap(wallet, [quote(), built()], { signal: stop.signal });
    assert.equal(error.name, 'ApiAbortedError');
    assert.equal(wallet.sent.length, 1);
    assert.deepEqual(calls, [QUOTE, BUILD]);
  });

  it('rejects without an acceptable route', async () => {
    assert.equal((await swap(walletOf(), [ok({ quoteId: 'q1', routes: [] })])).error.code, 'SVC3004');
    assert.equal((await swap(walletOf(), [quote()], { accept: () => false })).error.code, 'SVC3004');
  });

  it('signs nothing for a route or a deposit that a provider settles', async () => {
    const [route] = table.quote.routes;
    const settled = ok({ ...table.quote, routes: [{ ...route, filler: 'lifi', settlement: 'provider' }] });
    const wallet = walletOf();
    const skipped = await swap(wallet, [settled]);
    assert.equal(skipped.error.code, 'SVC3004');
    assert.match(skipped.error.message, /no escrow/);
    const lied = ok({ ...table.deposits.CONTRACT_CALL, kind: 'PROVIDER_CALL', provider: 'lifi', target: ESCROW });
    assert.match((await swap(wallet, [quote(), lied])).error.message, /a deposit other than CONTRACT_CALL/);
    assert.deepEqual(wallet.sent, []);
  });

  describe('through a provider whose contracts are trusted', () => {
    const TARGET = `0x${'7a'.repeat(20)}`;
    const OTHER = `0x${'dd'.repeat(20)}`;
    const [route] = table.quote.routes;
    const settled = ok({ ...table.quote, routes: [{ ...route, filler: 'lifi', settlement: 'provider' }] });
    const word = (value) => value.toString(16).replace('0x', '').padStart(64, '0');
    const approve = (spender, amount) => `0x095ea7b3${word(spender)}${word(BigInt(amount))}`;
    const send = (deposit, to, data, value = '0x0') => ({
      type: 'eip1193_request', deposit,
      request: { method: 'eth_sendTransaction', params: [{ from: PAYER, to, data, value, chainId: `0x${ask.fromChainId.toString(16)}` }] },
    });
    const allow = send(false, TOKEN, approve(TARGET, ask.amount));
    const call = send(true, TARGET, '0xabcd1234');
    const provided = (approvals, changes = {}) => ok({
      kind: 'PROVIDER_CALL', settlement: 'provider', provider: 'lifi', tool: 'play', target: TARGET, spender: TARGET,
      minAmountOut: route.quote.minAmountOut, orderId: 'o1', heldBy: 'x', refunds: 'x', summary: [], approvals, ...changes,
    });
    const options = { trustedProviders: { [ask.fromChainId]: [TARGET.toUpperCase().replace('0X', '0x')] } };

    it('pays it exactly the input', async () => {
      const wallet = walletOf();
      const { value, error } = await swap(wallet, [settled, provided([allow, call]), submitted, order('filled')], options);
      assert.equal(error, undefined);
      assert.equal(value.status, 'filled');
      assert.deepEqual(wallet.sent.map(({ to, data, value: paid }) => [to, data, paid]), [
        [TOKEN, approve(TARGET, ask.amount), '0x0'], [TARGET, '0xabcd1234', '0x0'],
      ]);
    });

    for (const [what, approvals, changes, words] of [
      ['another target', [allow, call], { target: OTHER }, /provider's contract/],
      ['another spender', [allow, call], { spender: OTHER }, /spender/],
      ['a call of another contract', [allow, send(true, OTHER, '0xabcd')], {}, /deposit's contract/],
      ['a value besides the input', [allow, send(true, TARGET, '0xabcd', '0x1')], {}, /deposit's value/],
      ['an unbounded allowance', [send(false, TOKEN, approve(TARGET, 2n ** 256n - 1n)), call], {}, /approval's amount/],
      ['an allowance for another', [send(false, TOKEN, approve(OTHER, ask.amount)), call], {}, /approval's spender/],
      ['an allowance of another token', [send(false, OTHER, approve(TARGET, ask.amount)), call], {}, /approval's token/],
      ['no deposit', [allow], {}, /0 deposits/],
      ['a short output', [allow, call], { minAmountOut: '1' }, /output is 1/],
      ['no least output', [allow, call], { minAmountOut: undefined }, /output is missing/],
      ['an approval without a spender', [allow, call], { spender: undefined }, /without a spender/],
      ['a deposit of ours', [allow, call], { kind: 'CONTRACT_CALL' }, /other than PROVIDER_CALL/],
    ]) {
      it(`signs nothing for ${what}`, async () => {
        const wallet = walletOf();
        const { error } = await swap(wallet, [settled, provided(approvals, changes)], options);
        assert.match(error.message, words);
        assert.deepEqual(wallet.sent, []);
      });
    }
  });

  it('for an address other than the wallet\'s rejects before any request', async () => {
    const { error, calls } = await swap(walletOf(), [quote()], {}, { ...ask, fromAddress: ESCROW });
    assert.equal(error.code, 'SVC3007');
    assert.deepEqual(calls, []);
  });

  it('from Solana is signed by a Wallet Standard wallet and submitted to the service', async () => {
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
    const solanaAsk = { ...ask, fromChainId: 20_011_000_000, fromToken: '1'.repeat(32), fromAddress: address, recipient: PAYER };
    const solanaTerms = terms({
      originChainId: '20011000000', destinationChainId: '1', escrow: key(escrow), inputToken: key(Buffer.alloc(32)), user: key(payer), refundTo: key(payer),
    });
    const bytes = await depositOf(solanaTerms);
    const transaction = Buffer.from(bytes).toString('base64');
    const solana = (changes) => built({
      recovery: { chainId: 20_011_000_000, escrow: base58(escrow), refundAfter: 1 },
      approvals: [{ type: 'solana_sendTransaction', transaction, deposit: true, ...changes }], terms: solanaTerms,
    });
    const signer = fromWalletStandard(wallet, { address });
    const options = { escrows: { 20_011_000_000: base58(escrow) } };
    const { value, error, requests } = await swap(signer, [quote(), solana(), submitted, order('filled')], options, solanaAsk);
    assert.equal(value?.status, 'filled', error?.stack);
    const signedTransaction = Buffer.from([...bytes, 255]).toString('base64');
    assert.deepEqual(JSON.parse(requests[2].body), { quoteId: 'q1', routeId: 'north', signedTransaction });
    const otherAmount = Buffer.from(await depositOf({ ...solanaTerms, amountIn: '1001' })).toString('base64');
    for (const changes of [{ transaction: otherAmount }, { transaction: 'no base64!' }]) {
      assert.equal((await swap(signer, [quote(), solana(changes)], options, solanaAsk)).error.code, 'SVC3003');
    }
    assert.equal(signed.length, 1);
    const evm = { ...solanaAsk, fromAddress: PAYER, refundTo: address };
    assert.equal((await swap(walletOf(), [quote(), solana()], options, evm)).error.code, 'SVC3003');
  });

  describe('through a provider\'s program on Solana', () => {
    const [payer, program, other] = [0xaa, 0x7a, 0xdd].map((fill) => Buffer.alloc(32, fill));
    const decode = (text) => {
      let number = 0n;
      for (const letter of text) number = number * 58n + BigInt('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'.indexOf(letter));
      return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
    };
    const budget = decode('ComputeBudget111111111111111111111111111111');
    const accounts = decode('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
    const KEYS = [payer, program, other, budget, accounts];
    const address = base58(payer);
    const [route] = table.quote.routes;
    const settled = ok({ ...table.quote, routes: [{ ...route, filler: 'jupiter', settlement: 'provider' }] });
    const solanaAsk = { ...ask, fromChainId: 20_011_000_000, fromToken: base58(other), fromAddress: address };
    const options = { trustedProviders: { 20_011_000_000: [base58(program)] } };
    const price = (micro) => [3, [], [3, ...Buffer.from(BigUint64Array.of(micro).buffer)]];
    const call = [1, [0, 2], [9]];
    const create = (owner) => [4, [0, 2, owner], [1]];
    const encode = (instructions, changes) => Buffer.from(transactionOf(KEYS, instructions, changes)).toString('base64');
    const provided = (transaction, changes = {}) => ok({
      kind: 'PROVIDER_CALL', settlement: 'provider', provider: 'jupiter', tool: 'jupiter', target: base58(program),
      minAmountOut: route.quote.minAmountOut, orderId: 'o1', heldBy: 'x', refunds: 'x', summary: [],
      approvals: [{ type: 'solana_sendTransaction', transaction, deposit: true }], ...changes,
    });
    const walletOfSolana = () => {
      const signed = [];
      const sign = async (transaction) => {
        signed.push(transaction);
        return Uint8Array.from([...transaction, 255]);
      };
      return { signed, signer: fromSigner(address, sign) };
    };

    it('is signed and submitted to the service', async () => {
      const { signed, signer } = walletOfSolana();
      const transaction = encode([[3, [], [2, 1, 0, 0, 0]], price(1_000n), create(0), call]);
      const { value, error, requests } = await swap(signer, [settled, provided(transaction), submitted, order('filled')], options, solanaAsk);
      assert.equal(value?.status, 'filled', error?.stack);
      assert.equal(signed.length, 1);
      const signedTransaction = Buffer.from([...Buffer.from(transaction, 'base64'), 255]).toString('base64');
      assert.deepEqual(JSON.parse(requests[2].body), { quoteId: 'q1', routeId: 'north', signedTransaction });
    });

    for (const [what, transaction, changes, words] of [
      ['another program', encode([call]), { target: base58(other) }, /a program that is trusted/],
      ['a short output', encode([call]), { minAmountOut: '1' }, /output is 1/],
      ['no call', encode([create(0)]), {}, /calls the provider 0 times/],
      ['two calls', encode([call, call]), {}, /calls the provider 2 times/],
      ['a call of anybody else', encode([call, [2, [0], [1]]]), {}, /does not need/],
      ['an account of somebody else', encode([create(2), call]), {}, /not the payer's/],
      ['a budget that names an account', encode([[3, [2], [2, 1, 0, 0, 0]], call]), {}, /does not need/],
      ['a high priority fee', encode([price(2n ** 60n), call]), {}, /priority fee/],
      ['two signers', encode([call], { slots: 2, signers: 2 }), {}, /by the wallet alone/],
      ['no transaction', 'AAAA', {}, /not a version 0/],
      ['nothing to sign', encode([call]), { approvals: [] }, /one Solana transaction/],
      ['no deposit', '', { approvals: [{ type: 'solana_sendTransaction', transaction: encode([call]) }] }, /0 deposits/],
    ]) {
      it(`is not signed for ${what}`, async () => {
        const { signed, signer } = walletOfSolana();
        const { error } = await swap(signer, [settled, provided(transaction, changes)], options, solanaAsk);
        assert.match(error.message, words);
        assert.equal(signed.length, 0);
      });
    }

    it('is not signed for a program that nobody trusts, or by a wallet of EVM chains', async () => {
      const { signed, signer } = walletOfSolana();
      const skipped = await swap(signer, [settled], {}, solanaAsk);
      assert.match(skipped.error.message, /no escrow/);
      assert.equal(signed.length, 0);
      const evm = { ...solanaAsk, fromAddress: PAYER };
      assert.equal((await swap(walletOf(), [settled, provided(encode([call]))], options, evm)).error.code, 'SVC3003');
    });
  });

  it('on Solana needs a wallet that signs transactions', () => {
    assert.throws(() => fromWalletStandard({ name: 'Other', features: {} }, { address: 'x' }), /Other does not sign/);
  });
});

describe('warnings', () => {
  const severe = (code) => [{ code, severity: 'severe', message: 'Think twice.', field: 'recipient' }];
  const quoteWith = (...warnings) => ok({ ...table.quote, routes: warnings.map((one) => ({ ...table.quote.routes[0], warnings: one })) });
  const rest = [built(), submitted, order('filled')];

  it('take a route with a severe one only if it is accepted', async () => {
    const wallet = walletOf();
    const { error } = await swap(wallet, [quoteWith(severe('NO_WAY_OUT'))]);
    assert.equal(error.code, 'SVC3004');
    assert.equal(error.message, 'A severe warning was not accepted: NO_WAY_OUT: Think twice.');
    assert.deepEqual(error.details.warnings, severe('NO_WAY_OUT'));
    const other = await swap(wallet, [quoteWith(severe('NO_WAY_OUT'))], { acceptWarnings: ['HIGH_FEES'] });
    assert.equal(other.error.code, 'SVC3004');
    assert.equal(wallet.sent.length, 0);
    const accepted = await swap(wallet, [quoteWith(severe('NO_WAY_OUT')), ...rest], { acceptWarnings: ['NO_WAY_OUT'] });
    assert.equal(accepted.value.status, 'filled');
  });

  it('lead to another route, unless one was confirmed', async () => {
    const both = quoteWith(severe('PRICE_IMPACT'), [{ code: 'HIGH_FEES', severity: 'warning', message: 'Dear.' }]);
    const { value } = await swap(walletOf(), [both, ...rest]);
    assert.equal(value.status, 'filled');
    const { error } = await swap(walletOf(), [both], { confirm: () => true });
    assert.equal(error.code, 'SVC3004');
  });

  it('keep a deposit with a severe one from being signed', async () => {
    const wallet = walletOf();
    const warned = built({ warnings: severe('CONTRACT_ELSEWHERE') });
    const { error } = await swap(wallet, [quote(), warned]);
    assert.equal(error.details.warnings[0].code, 'CONTRACT_ELSEWHERE');
    assert.equal(wallet.sent.length, 0);
    const acceptWarnings = async ({ code }) => code === 'CONTRACT_ELSEWHERE';
    const accepted = await swap(wallet, [quote(), warned, submitted, order('filled')], { acceptWarnings });
    assert.equal(accepted.value.status, 'filled');
  });
});
