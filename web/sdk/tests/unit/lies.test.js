// The table of lies of all SDKs: what a service that lies, or was taken over, can make a wallet sign.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { createClient, executeSwap } from '@causeway/sdk';
import { fromSigner } from '@causeway/sdk/solana';
import { checkTransfer } from '@causeway/sdk/transfer';
import { Server } from '../server.js';

const table = JSON.parse(await readFile(new URL('../../../../tests/cases/lies.json', import.meta.url), 'utf8'));

/** A copy with other values at some JSON pointers. */
function changed(whole, changes = {}) {
  let copy = structuredClone(whole);
  for (const [pointer, value] of Object.entries(changes)) {
    const path = pointer.split('/').slice(1);
    const last = path.pop();
    if (last === undefined) copy = value;
    else path.reduce((at, name) => at[name], copy)[last] = value;
  }
  return copy;
}

/** Plays an entry: how it ended, what was signed, what the service was asked for. */
async function play({ way, escrows = table.escrows, bound = table.bound, ask: asks, quote, deposit, unknownChain }) {
  const ask = changed(table.ask, asks);
  const answers = [changed(table.quote, quote), changed(table.deposits[way], deposit), table.submitted, table.order];
  const signed = [];
  const request = async ({ method, params }) => {
    if (method === 'eth_accounts') return [ask.fromAddress];
    if (method === 'wallet_switchEthereumChain' && unknownChain) throw Object.assign(new Error('The wallet knows no chain 8453.'), { code: 4902 });
    if (method === 'wallet_switchEthereumChain') return assert.deepEqual(params, [{ chainId: '0x2105' }]) ?? null;
    if (method === 'eth_getTransactionReceipt') return { status: '0x1' };
    if (method === 'eth_signTypedData_v4') {
      const { primaryType, message: { witness, permitted } } = JSON.parse(params[1]);
      assert.deepEqual([witness, permitted.amount], [answers[1].terms, answers[1].terms.amountIn]);
      signed.push({ permit: primaryType });
      return '0x01';
    }
    assert.equal(method, 'eth_sendTransaction');
    const { from, chainId, gas, ...rest } = params[0];
    assert.deepEqual([from.toLowerCase(), chainId, gas], [ask.fromAddress.toLowerCase(), '0x2105', '0xda51']);
    signed.push({ ...rest, to: rest.to.toLowerCase() });
    return `0x${'1'.repeat(64)}`;
  };
  const server = await Server.start(answers.map((json) => ({ status: 200, json })));
  try {
    const solana = fromSigner(ask.fromAddress, async (transaction) => {
      signed.push({ solana: true });
      return transaction;
    });
    const wallet = ask.fromAddress.startsWith('0x') ? { request } : solana;
    const options = { depositMethod: way, escrows: escrows ?? undefined, ...bound };
    const executing = executeSwap(createClient({ baseUrl: server.url }), ask, wallet, options);
    const ended = await executing.then((value) => ({ value }), (error) => ({ error }));
    return { ...ended, signed, asked: server.seen.length };
  } finally {
    server.stop();
  }
}

describe('what was agreed is signed', { concurrency: 16 }, () => {
  for (const one of table.honest) {
    it(one.name, async () => {
      const { value, error, signed } = await play(one);
      assert.equal(value?.status, 'filled', error?.stack);
      assert.deepEqual(signed, one.signed);
    });
  }
});

describe('nothing is signed for', { concurrency: 16 }, () => {
  for (const one of table.lies) {
    it(one.name, async () => {
      const { error, signed, asked } = await play(one);
      assert.deepEqual([error?.name, error?.code, error?.message], ['ServiceError', one.code ?? 'SVC3003', one.says], error?.stack);
      assert.deepEqual([signed, asked], [[], one.asked ?? (one.quote ? 1 : 2)]);
    });
  }
});

describe('a transfer is made only to the address of what was agreed', () => {
  const { honest, lies } = table.transfers;
  for (const { name, ask: asks, quote, deposit, escrow, bound = table.bound, says } of [...honest, ...lies]) {
    it(name, async () => {
      const { routes: [route] } = changed(table.quote, quote);
      const ask = changed(table.ask, asks);
      const escrows = escrow ? { [ask.fromChainId]: escrow } : table.escrows;
      const checking = checkTransfer(ask, route.quote, changed(table.deposits.TRANSFER, deposit), { ...bound, escrows });
      await (says === undefined ? checking : assert.rejects(checking, { name: 'ServiceError', code: 'SVC3003', message: says }));
    });
  }
});

describe('a swap without a bound', () => {
  const none = async () => { throw new Error('nothing may be asked'); };
  const client = createClient({ baseUrl: 'http://swap.example', fetch: none });

  it('is refused before anything is asked', async () => {
    const wallet = { request: none };
    for (const options of [{}, { escrows: table.escrows }, { accept: () => true }, { maxAmountIn: '1' }]) {
      await assert.rejects(executeSwap(client, table.ask, wallet, options), { name: 'TypeError', message: /needs a bound.*minAmountOut/ });
    }
    const output = { ...table.ask, tradeType: 'EXACT_OUTPUT' };
    await assert.rejects(executeSwap(client, output, wallet, { minAmountOut: '1' }), { name: 'TypeError', message: /maxAmountIn/ });
    await assert.rejects(checkTransfer(table.ask, table.quote.routes[0].quote, table.deposits.TRANSFER, {}), TypeError);
  });

  it('or with one that cannot be used is refused', async () => {
    const bad = [
      { minAmountOut: '1.5' }, { price: { from: '0', to: '1' } }, { price: { from: '1', to: '-1' } }, { price: { from: '1', to: '1', tolerance: 1 } },
      { price: { from: '1', to: '1', fromDecimals: 18 } },
    ];
    for (const bound of bad) await assert.rejects(executeSwap(client, table.ask, { request: none }, bound), TypeError, JSON.stringify(bound));
    const unknown = { ...table.ask, fromToken: `0x${'12'.repeat(20)}` };
    await assert.rejects(executeSwap(client, unknown, { request: none }, { price: { from: '1', to: '1' } }), /decimals of 0x12.* are not known/);
  });

  it('is signed only once somebody has confirmed the route', async () => {
    const { signed, asked, error } = await play({ way: 'CONTRACT_CALL', bound: { confirm: async () => false } });
    assert.deepEqual([signed, asked, error.code], [[], 1, 'SVC3004']);
    const seen = [];
    const { value } = await play({ way: 'CONTRACT_CALL', bound: { confirm: async (route) => seen.push(route.quote.minAmountOut) > 0 } });
    assert.deepEqual([value.status, seen], ['filled', ['299']]);
  });

  it('on another machine trusts no sandbox', async () => {
    const answers = [table.quote, table.deposits.CONTRACT_CALL];
    const remote = createClient({ baseUrl: 'http://swap.example', fetch: async () => Response.json(answers.shift()) });
    const wallet = { request: async ({ method }) => (method === 'eth_accounts' ? [table.ask.fromAddress] : assert.fail(method)) };
    await assert.rejects(executeSwap(remote, table.ask, wallet, table.bound), { code: 'SVC3003', message: /not one that is trusted/ });
  });
});

describe('a chain that a wallet does not know', () => {
  it('is added as the caller describes it, and only then', async () => {
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
