// The code that the SDKs simulate with, on a chain of the sandbox and through the SDK's wallets.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { fromEthers } from '@causeway/sdk/ethers';
import { fromViem } from '@causeway/sdk/viem';
import { JsonRpcProvider, Wallet } from 'ethers';
import { payer, rpc, USDC, walletOf } from '../sandbox.js';

const { simulator } = JSON.parse(await readFile(new URL('../../../../tests/cases/lies.json', import.meta.url), 'utf8'));
const WETH = '0x4200000000000000000000000000000000000006';
const OTHER = `0x${'77'.repeat(20)}`;
const [DEPOSIT, TRANSFER, TRANSFER_FROM, BALANCE_OF] = ['d0e30db0', 'a9059cbb', '23b872dd', '70a08231'];

const word = (value) => BigInt(value).toString(16).padStart(64, '0');
const call = (to, data, value = 0) => word(to) + word(value) + word(data.length / 2) + data;

/** Whether each call succeeded, and what it returned. */
function read(answer) {
  const outcomes = [];
  for (let at = 2; at < answer.length;) {
    const size = Number(`0x${answer.slice(at + 64, at + 128)}`) * 2;
    outcomes.push([BigInt(`0x${answer.slice(at, at + 64)}`), answer.slice(at + 128, at + 128 + size)]);
    at += 128 + size;
  }
  return outcomes;
}

const numberOf = ([succeeds, data]) => (assert.equal(succeeds, 1n), BigInt(`0x${data}`));

describe('the code of a simulation', () => {
  let key;
  let account;
  let wallet;
  const ask = (from, to, data, through = wallet) =>
    through.request({ method: 'eth_call', params: [{ from, to, data: `0x${data}` }, 'latest', { [account.address]: { code: simulator } }] });

  before(async () => {
    ({ key, account } = await payer());
    wallet = fromViem(walletOf(8453, account));
  });

  it('makes calls as the payer, with coin, and reads what they change', async () => {
    const self = account.address;
    const [coin, wrapped, sent] = [call(self, word(self)), call(WETH, BALANCE_OF + word(self)), call(USDC, TRANSFER + word(OTHER) + word(7))];
    const received = call(USDC, BALANCE_OF + word(OTHER));
    const calls = [coin, wrapped, received, call(WETH, DEPOSIT, 1_000), sent, coin, wrapped, received, call(self, word(OTHER))];
    const outcomes = read(await ask(self, self, calls.join('')));
    assert.equal(outcomes.length, calls.length);
    assert.deepEqual([outcomes[3], outcomes[4][0]], [[1n, ''], 1n]);
    const [before, after] = [[0, 1, 2], [5, 6, 7]].map((places) => places.map((place) => numberOf(outcomes[place])));
    assert.deepEqual(after.map((number, place) => number - before[place]), [-1_000n, 1_000n, 7n]);
    assert.equal(numberOf(outcomes[8]), 0n);
  });

  it('goes on after a call that fails, and returns its reason', async () => {
    const self = account.address;
    const calls = [call(USDC, TRANSFER_FROM + word(OTHER) + word(self) + word(7)), call(USDC, BALANCE_OF + word(self))];
    const [failed, balance] = read(await ask(self, self, calls.join('')));
    assert.equal(failed[0], 0n);
    assert.ok(failed[1].length > 0, 'a reason');
    assert.equal(numberOf(balance), 100_000_000n);
  });

  it('does nothing for anybody but the payer', async () => {
    const taken = call(USDC, TRANSFER + word(OTHER) + word(7));
    assert.equal(await ask(OTHER, account.address, taken), '0x');
    assert.equal(await ask(OTHER, account.address, word(account.address)), '0x');
  });

  it('changes nothing, and is not there without the override', async () => {
    const self = account.address;
    const balance = call(USDC, BALANCE_OF + word(self));
    assert.equal(numberOf(read(await ask(self, self, balance))[0]), 100_000_000n);
    assert.equal(await wallet.request({ method: 'eth_call', params: [{ from: self, to: self, data: `0x${balance}` }, 'latest'] }), '0x');
  });

  it('is run by ethers as well', async () => {
    const provider = new JsonRpcProvider(rpc(8453));
    const ethers = fromEthers(new Wallet(key, provider));
    const self = account.address;
    assert.equal(numberOf(read(await ask(self, self, call(USDC, BALANCE_OF + word(self)), ethers))[0]), 100_000_000n);
    provider.destroy();
  });
});
