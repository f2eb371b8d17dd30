// The table of lies of all SDKs: what a service that lies, or was taken over, can make a wallet sign.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { createClient, executeSwap } from '@causeway/sdk';
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
async function play({ way, escrows, ask: asks, quote, deposit }) {
  const ask = changed(table.ask, asks);
  const answers = [changed(table.quote, quote), changed(table.deposits[way], deposit), table.submitted, table.order];
  const signed = [];
  const request = async ({ method, params }) => {
    if (method === 'eth_accounts') return [ask.fromAddress];
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
    const executing = executeSwap(createClient({ baseUrl: server.url }), ask, { request }, { depositMethod: way, escrows });
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
      assert.deepEqual([error?.name, error?.code, error?.message], ['ServiceError', 'SVC3003', one.says], error?.stack);
      assert.deepEqual([signed, asked], [[], one.quote ? 1 : 2]);
    });
  }
});

describe('a transfer is made only to the address of what was agreed', () => {
  const { honest, lies } = table.transfers;
  for (const { name, ask, quote, deposit, escrow, says } of [...honest, ...lies]) {
    it(name, async () => {
      const { routes: [route] } = changed(table.quote, quote);
      const checking = checkTransfer(changed(table.ask, ask), route.quote, changed(table.deposits.TRANSFER, deposit), escrow);
      await (says === undefined ? checking : assert.rejects(checking, { name: 'ServiceError', code: 'SVC3003', message: says }));
    });
  }
});
