// Swaps against a faulty service. Successful swaps are tested on real chains, in `tests/service`.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { createClient, executeSwap } from '@causeway/sdk';
import { fromSigner, fromWalletStandard } from '@causeway/sdk/solana';
import { Server } from '../server.js';
import { endpointOf, startEndpoint } from '../simulation.js';
import { base58, depositOf } from '../solana.js';

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
    const { ask: changes, quote: route, deposit, registry } = table.providers.zerox;
    const HOLDER = deposit.target.toLowerCase();
    const within = { ...ask, toChainId: changes['/toChainId'], toToken: changes['/toToken'] };
    const settled = ok({ ...table.quote, routes: [{ ...table.quote.routes[0], filler: route['/routes/0/filler'], settlement: 'provider' }] });
    const provided = (fields = {}) => ok({ ...deposit, ...fields });
    const [, allowance, call] = deposit.approvals;
    const options = { trustedProviders: { 8453: [HOLDER.toUpperCase().replace('0X', '0x')] } };
    /** A wallet on a chain, which reads the registry there; `follows` says whether it switches chains. */
    const readingWallet = ({ chain = '0x2105', follows = true, named = registry } = {}) => {
      const wallet = walletOf();
      const { request } = wallet;
      let current = chain;
      wallet.request = async ({ method, params }) => {
        if (method === 'eth_chainId') return current;
        if (method === 'wallet_switchEthereumChain' && follows) current = params[0].chainId;
        if (method === 'eth_call' && params.length === 3) return current === '0x2105' ? endpointOf(table.simulator, within).call(params) : '0x';
        if (method === 'eth_call') return current === '0x2105' ? `0x${named.slice(2).padStart(64, '0')}` : '0x';
        return request({ method, params });
      };
      return wallet;
    };

    for (const [what, wallet] of [['', readingWallet()], [', with a wallet that was on another chain', readingWallet({ chain: '0x1' })]]) {
      it(`pays it exactly the input${what}`, async () => {
        const { value, error } = await swap(wallet, [settled, provided(), submitted, order('filled')], options, within);
        assert.equal(error, undefined);
        assert.equal(value.status, 'filled');
        const [{ data: allowed }, { data }] = [allowance, call].map(({ request }) => request.params[0]);
        assert.deepEqual(wallet.sent.map(({ to, data: given, value: paid }) => [to, given, paid]), [[TOKEN, allowed, '0x0'], [HOLDER, data, '0x0']]);
      });
    }

    for (const [what, simulation, isSigned] of [['signs', {}, true], ['does not sign', { takes: '1001' }, false]]) {
      it(`${what} by what the caller's own endpoint shows, where the wallet cannot simulate`, async () => {
        const wallet = readingWallet();
        const { request } = wallet;
        wallet.request = async (args) => {
          if (args.method === 'eth_call' && args.params.length === 3) throw new Error('Too many arguments.');
          return request(args);
        };
        const { call: simulate } = endpointOf(table.simulator, within, simulation);
        const { chains, stop } = await startEndpoint(8453, ({ method, params }) => (method === 'eth_chainId' ? '0x2105' : simulate(params)));
        const { error } = await swap(wallet, [settled, provided(), submitted, order('filled')], { ...options, chains }, within).finally(stop);
        assert.equal(wallet.sent.length, isSigned ? 2 : 0, error?.stack);
        if (!isSigned) assert.match(error.message, /is 1001, expected at most 1000/);
      });
    }

    it('simulates the call again once the allowance is given', async () => {
      const wallet = readingWallet();
      const seen = [];
      const { request } = wallet;
      const first = endpointOf(table.simulator, within);
      const second = endpointOf(table.simulator, within, { allowed: '1000', takes: '1001' });
      wallet.request = async (args) => {
        if (args.method !== 'eth_call' || args.params.length < 3) return request(args);
        seen.push(args.params[0].data.length);
        return (wallet.sent.length > 0 ? second : first).call(args.params);
      };
      const { error } = await swap(wallet, [settled, provided()], options, within);
      assert.match(error.message, /is 1001, expected at most 1000/);
      assert.deepEqual([wallet.sent.map(({ to }) => to), seen.length], [[TOKEN], 2]);
      assert.ok(seen[1] < seen[0], 'the allowance is there already');
    });

    for (const [what, fields, words, wallet] of [
      ['no deposit', { approvals: [allowance] }, /0 deposits/],
      ['a short output', { minAmountOut: '1' }, /output is 1/],
      ['no least output', { minAmountOut: undefined }, /output is missing/],
      ['a deposit of ours', { kind: 'CONTRACT_CALL' }, /other than PROVIDER_CALL/],
      ['a settler that the registry does not name', {}, /call's settler/, readingWallet({ named: PAYER })],
      ['a settler, by a wallet that stays on another chain', {}, /call's settler/, readingWallet({ chain: '0x1', follows: false })],
      ['a settler, by a wallet that reads no chain', {}, /call's settler/, walletOf()],
    ]) {
      it(`signs nothing for ${what}`, async () => {
        const used = wallet ?? readingWallet();
        const { error } = await swap(used, [settled, provided(fields)], options, within);
        assert.match(error.message, words);
        assert.deepEqual(used.sent, []);
      });
    }

    it('takes the service\'s word only for what the caller leaves unchecked', async () => {
      const { ask: changed, deposit: built, trusted: { 8453: [relay] } } = table.providers.relay;
      const between = { ...ask, toToken: changed['/toToken'] };
      const refused = await swap(walletOf(), [settled, ok(built)], { trustedProviders: { 8453: [relay.contract] } }, between);
      assert.match(refused.error.message, /does not say who receives the output.*`recipient` unchecked/);
      const trust = (unchecked) => ({ trustedProviders: { 8453: [{ ...relay, unchecked: [...relay.unchecked, ...unchecked] }] } });
      const blind = await swap(walletOf(), [settled, ok(built)], trust([]), between);
      assert.match(blind.error.message, /cannot simulate the deposit.*`effects` unchecked/);
      const { value } = await swap(walletOf(), [settled, ok(built), submitted, order('filled')], trust(['effects']), between);
      assert.equal(value.status, 'filled');
    });
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
    const { ask: changes, deposit, trusted } = table.providers.jupiter;
    const settled = ok({ ...table.quote, routes: [{ ...table.quote.routes[0], filler: 'jupiter', settlement: 'provider' }] });
    const fields = Object.fromEntries(Object.entries(changes).map(([pointer, value]) => [pointer.slice(1), value]));
    const solanaAsk = { ...ask, ...fields };
    const options = { trustedProviders: { 20_011_000_000: trusted[20_011_000_000].map((contract) => ({ contract, unchecked: ['effects'] })) } };
    const [{ transaction }] = deposit.approvals;
    const walletOfSolana = () => {
      const signed = [];
      const sign = async (bytes) => {
        signed.push(bytes);
        return Uint8Array.from([...bytes, 255]);
      };
      return { signed, signer: fromSigner(solanaAsk.fromAddress, sign) };
    };

    it('is signed and submitted to the service', async () => {
      const { signed, signer } = walletOfSolana();
      const { value, error, requests } = await swap(signer, [settled, ok(deposit), submitted, order('filled')], options, solanaAsk);
      assert.equal(value?.status, 'filled', error?.stack);
      assert.equal(signed.length, 1);
      const signedTransaction = Buffer.from([...Buffer.from(transaction, 'base64'), 255]).toString('base64');
      assert.deepEqual(JSON.parse(requests[2].body), { quoteId: 'q1', routeId: 'north', signedTransaction });
    });

    for (const [what, encoded, words] of [['no transaction', 'AAAA', /not a version 0/], ['no base64', '%', /cannot be decoded/]]) {
      it(`is not signed for ${what}`, async () => {
        const { signed, signer } = walletOfSolana();
        const approvals = [{ ...deposit.approvals[0], transaction: encoded }];
        const { error } = await swap(signer, [settled, ok({ ...deposit, approvals })], options, solanaAsk);
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
      assert.equal((await swap(walletOf(), [settled, ok(deposit)], options, evm)).error.code, 'SVC3003');
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
