// Runs the shared table of dishonest responses (`lies.json`): what a compromised service can make a wallet sign.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { createClient, executeSwap } from '@causeway/sdk';
import { fromSigner } from '@causeway/sdk/solana';
import { checkTransfer } from '@causeway/sdk/transfer';
import { Server } from '../server.js';
import { endpointOf, startSolana } from '../simulation.js';

const table = JSON.parse(await readFile(new URL('../../../../tests/cases/lies.json', import.meta.url), 'utf8'));

/** Copies a value and replaces some fields, by JSON pointer. */
function changed(value, changes = {}) {
  let copy = structuredClone(value);
  for (const [pointer, replacement] of Object.entries(changes)) {
    const path = pointer.split('/').slice(1);
    const last = path.pop();
    if (last === undefined) copy = replacement;
    else path.reduce((parent, name) => parent[name], copy)[last] = replacement;
  }
  return copy;
}

/** The registry of 0x, and its calls that name the present settler and the one before. */
const REGISTRY = '0x00000000000004533fe15556b1e086bb1a72ceae';
const OF_REGISTRY = ['0x6352211e', '0xe2603dc2'].map((selector) => selector + '2'.padStart(64, '0'));

/** Runs an entry: the result, what was signed, and the number of requests. */
async function run({ depositMethod, provider, escrows = table.escrows, bound = table.bound, unknownChain, ...entry }, takesBatches = false, signature = `0x${'01'.repeat(65)}`) {
  const settled = table.providers[provider];
  const { registry, trusted } = { ...settled, ...entry };
  const simulation = entry.simulation === null ? null : { ...settled?.simulation, ...entry.simulation };
  const ask = changed(changed(table.ask, settled?.ask), entry.ask);
  const quote = changed(changed(table.quote, settled?.quote), entry.quote);
  const responses = [quote, changed(settled?.deposit ?? table.deposits[depositMethod], entry.deposit), table.submitted, table.order];
  const signed = [];
  const endpoint = endpointOf(table.simulator, ask, simulation);
  const request = async ({ method, params }) => {
    if (method === 'eth_accounts') return [ask.fromAddress];
    if (method === 'eth_call' && params.length === 3) return endpoint.call(params);
    if (method === 'wallet_switchEthereumChain' && unknownChain) throw Object.assign(new Error('The wallet does not know chain 8453.'), { code: 4902 });
    if (method === 'wallet_switchEthereumChain') return assert.deepEqual(params, [{ chainId: '0x2105' }]) ?? null;
    if (method === 'eth_getTransactionReceipt') return { status: '0x1' };
    if (method === 'eth_chainId') return '0x2105';
    if (method === 'eth_call' && registry) {
      assert.deepEqual([params[0].to, OF_REGISTRY.includes(params[0].data), params[1]], [REGISTRY, true, 'latest']);
      // The settler before the present one, which is paused.
      if (params[0].data === OF_REGISTRY[0]) throw new Error('execution reverted');
      return `0x${registry.slice(2).padStart(64, '0').toLowerCase()}`;
    }
    if (method === 'eth_call') throw Object.assign(new Error('Unknown method.'), { code: -32601 });
    if (method === 'wallet_getCapabilities' && takesBatches) return { '0x2105': { atomic: { status: 'supported' } } };
    if (method === 'wallet_sendCalls' && takesBatches) {
      const { calls, ...rest } = params[0];
      assert.deepEqual(rest, { version: '2.0.0', chainId: '0x2105', from: ask.fromAddress, atomicRequired: true });
      signed.push({ batch: calls.map(({ to, ...call }) => ({ ...call, to: to.toLowerCase() })) });
      return { id: 'b1' };
    }
    if (method === 'wallet_getCallsStatus') return { status: 200, receipts: [{ status: '0x1', transactionHash: `0x${'1'.repeat(64)}` }] };
    if (/^wallet_(getCapabilities|sendCalls)$/.test(method)) throw Object.assign(new Error('Unknown method.'), { code: -32601 });
    if (method === 'eth_signTypedData_v4') {
      const { primaryType, message } = JSON.parse(params[1]);
      const { terms } = responses[1];
      if (primaryType === 'ReceiveWithAuthorization') assert.equal(message.value, terms.amountIn);
      else if (primaryType === 'Permit') assert.deepEqual([message.value, message.deadline], [terms.amountIn, terms.openDeadline]);
      else if (primaryType === 'CausewayOrder') assert.deepEqual(message, terms);
      else assert.deepEqual([message.witness, message.permitted.amount], [terms, terms.amountIn]);
      signed.push({ permit: primaryType });
      return signature;
    }
    assert.equal(method, 'eth_sendTransaction');
    const { from, chainId, gas, ...rest } = params[0];
    assert.deepEqual([from.toLowerCase(), chainId, gas], [ask.fromAddress.toLowerCase(), '0x2105', '0xda51']);
    signed.push({ ...rest, to: rest.to.toLowerCase() });
    endpoint.signed(rest);
    return `0x${'1'.repeat(64)}`;
  };
  const server = await Server.start(responses.map((json) => ({ status: 200, json })));
  const onSolana = simulation && ask.fromChainId === 20_011_000_000 ? await startSolana(ask, simulation) : undefined;
  try {
    const solana = fromSigner(ask.fromAddress, async (transaction) => {
      signed.push({ solana: true });
      return transaction;
    });
    const wallet = ask.fromAddress.startsWith('0x') ? { request } : solana;
    const options = { depositMethod, escrows: escrows ?? undefined, trustedProviders: trusted, chains: onSolana?.chains, ...bound };
    const executing = executeSwap(createClient({ baseUrl: server.url }), ask, wallet, options);
    const result = await executing.then((value) => ({ value }), (error) => ({ error }));
    return { ...result, signed, requestCount: server.requests.length };
  } finally {
    server.stop();
    onSolana?.stop();
  }
}

describe('an honest deposit is signed', { concurrency: 16 }, () => {
  for (const entry of table.honest) {
    it(entry.name, async () => {
      const { value, error, signed } = await run(entry);
      assert.equal(value?.status, 'filled', error?.stack);
      assert.deepEqual(signed, entry.signed);
    });
    it(`${entry.name}, in one batch if the wallet takes batches`, async () => {
      const { value, error, signed } = await run(entry, true);
      assert.equal(value?.status, 'filled', error?.stack);
      const isBatch = entry.depositMethod === 'CONTRACT_CALL' && !entry.provider && entry.signed.length > 1;
      assert.deepEqual(signed, isBatch ? [{ batch: entry.signed }] : entry.signed);
    });
  }
});

describe('nothing more is signed for', { concurrency: 16 }, () => {
  for (const [entry, takesBatches] of table.lies.flatMap((lie) => [[lie, false], [lie, true]])) {
    it(takesBatches ? `${entry.name}, of a wallet that takes batches` : entry.name, async () => {
      const { error, signed, requestCount } = await run(entry, takesBatches);
      assert.deepEqual([error?.name, error?.code, error?.message], ['ServiceError', entry.code ?? 'SVC3003', entry.message], error?.stack);
      assert.deepEqual([signed, requestCount], [entry.signed ?? [], entry.requestCount ?? (entry.quote ? 1 : 2)]);
    });
  }
});

describe('a wallet that signs a permit in a form that no token takes', () => {
  const [entry] = table.honest.filter(({ depositMethod }) => depositMethod === 'PERMIT');
  for (const signature of ['0x', `0x${'01'.repeat(64)}`, `0x${'01'.repeat(130)}`]) {
    it(`is not asked for the order, with ${(signature.length - 2) / 2} bytes`, async () => {
      const { error, signed, requestCount } = await run(entry, false, signature);
      assert.deepEqual([error?.code, signed, requestCount], ['SVC3007', [{ permit: 'Permit' }], 2], error?.stack);
      assert.match(error.message, /65 bytes .* another method/);
    });
  }
});

describe('checkTransfer accepts only an address that belongs to the terms', () => {
  const { honest, lies } = table.transfers;
  for (const { name, ask: askChanges, quote, deposit, escrow, bound = table.bound, message } of [...honest, ...lies]) {
    it(name, async () => {
      const { routes: [route] } = changed(table.quote, quote);
      const ask = changed(table.ask, askChanges);
      const escrows = escrow ? { [ask.fromChainId]: escrow } : table.escrows;
      const checking = checkTransfer(ask, route.quote, changed(table.deposits.TRANSFER, deposit), { ...bound, escrows });
      await (message === undefined ? checking : assert.rejects(checking, { name: 'ServiceError', code: 'SVC3003', message }));
    });
  }
});

describe('a swap without a bound', () => {
  const none = async () => { throw new Error('unexpected request'); };
  const client = createClient({ baseUrl: 'http://swap.example', fetch: none });

  it('rejects before any request', async () => {
    const wallet = { request: none };
    for (const options of [{}, { escrows: table.escrows }, { accept: () => true }, { maxAmountIn: '1' }]) {
      await assert.rejects(executeSwap(client, table.ask, wallet, options), { name: 'TypeError', message: /needs a bound.*minAmountOut/ });
    }
    const output = { ...table.ask, tradeType: 'EXACT_OUTPUT' };
    await assert.rejects(executeSwap(client, output, wallet, { minAmountOut: '1' }), { name: 'TypeError', message: /maxAmountIn/ });
    await assert.rejects(checkTransfer(table.ask, table.quote.routes[0].quote, table.deposits.TRANSFER, {}), TypeError);
  });

  it('rejects, as does one with an invalid bound', async () => {
    const bad = [
      { minAmountOut: '1.5' }, { price: { from: '0', to: '1' } }, { price: { from: '1', to: '-1' } }, { price: { from: '1', to: '1', tolerance: 1 } },
      { price: { from: '1', to: '1', fromDecimals: 18 } },
    ];
    for (const bound of bad) await assert.rejects(executeSwap(client, table.ask, { request: none }, bound), TypeError, JSON.stringify(bound));
    const unknown = { ...table.ask, fromToken: `0x${'12'.repeat(20)}` };
    await assert.rejects(executeSwap(client, unknown, { request: none }, { price: { from: '1', to: '1' } }), /decimals of 0x12.* are not known/);
  });

  it('is signed only after the route was confirmed', async () => {
    const { signed, requestCount, error } = await run({ depositMethod: 'CONTRACT_CALL', bound: { confirm: async () => false } });
    assert.deepEqual([signed, requestCount, error.code], [[], 1, 'SVC3004']);
    const seen = [];
    const { value } = await run({ depositMethod: 'CONTRACT_CALL', bound: { confirm: async (route) => seen.push(route.quote.minAmountOut) > 0 } });
    assert.deepEqual([value.status, seen], ['filled', ['299']]);
  });

  it('does not trust the sandbox escrow of a remote service', async () => {
    const responses = [table.quote, table.deposits.CONTRACT_CALL];
    const remote = createClient({ baseUrl: 'http://swap.example', fetch: async () => Response.json(responses.shift()) });
    const wallet = { request: async ({ method }) => (method === 'eth_accounts' ? [table.ask.fromAddress] : assert.fail(method)) };
    await assert.rejects(executeSwap(remote, table.ask, wallet, table.bound), { code: 'SVC3003', message: /expected a trusted escrow/ });
  });
});

describe('a chain that a wallet does not know', () => {
  it('is added only with the parameters of the caller', async () => {
    const added = [];
    let known = false;
    const request = async ({ method, params }) => {
      if (method === 'eth_accounts') return [table.ask.fromAddress];
      if (method === 'wallet_addEthereumChain') return added.push(params[0]), known = true, null;
      if (method === 'wallet_switchEthereumChain' && !known) throw Object.assign(new Error('Unknown.'), { code: 4902 });
      return method === 'eth_getTransactionReceipt' ? { status: '0x1' } : `0x${'1'.repeat(64)}`;
    };
    const base = { chainName: 'Base', rpcUrls: ['https://rpc.mine.example'], nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 } };
    const server = await Server.start([table.quote, table.deposits.CONTRACT_CALL, table.submitted, table.order].map((json) => ({ status: 200, json })));
    try {
      const options = { ...table.bound, escrows: table.escrows, chains: { 8453: base } };
      assert.equal((await executeSwap(createClient({ baseUrl: server.url }), table.ask, { request }, options)).status, 'filled');
    } finally {
      server.stop();
    }
    assert.deepEqual(added, [{ chainId: '0x2105', ...base }]);
  });
});
