import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.js';

const { hostChoices } = await load('wallets/host.ts');

const EVM = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const SOLANA = 'AqynRZwvVqUPRwRJXvm6odUb3t93fDjnWe3p6BeuUFxD';
const signed = Uint8Array.of(1, 2, 3);

test('a provider by EIP-1193 is asked silently first, and loudly when the person connects', async () => {
  const asked = [];
  const provider = { request: async ({ method }) => { asked.push(method); return method === 'eth_accounts' ? [] : [EVM]; } };
  const [choice] = hostChoices(provider);
  assert.equal(await choice.connect(true), undefined);
  const account = await choice.connect();
  assert.deepEqual([account.family, account.address, asked], ['eip155', EVM, ['eth_accounts', 'eth_requestAccounts']]);
});

test('a wallet client of viem is connected by its account', async () => {
  const client = { account: { address: EVM, type: 'json-rpc' }, request: async () => 'answer', getChainId: async () => 1, sendTransaction: async () => '0x', signTypedData: async () => '0x' };
  const account = await hostChoices(client)[0].connect(true);
  assert.equal(account.address, EVM);
  assert.deepEqual(await account.wallet.request({ method: 'eth_accounts' }), [EVM]);
});

test('a Solana adapter gets and returns objects, a plain signer bytes', async () => {
  const adapter = {
    publicKey: { toString: () => SOLANA },
    signTransaction: async (transaction) => {
      assert.ok('version' in transaction && transaction.serialize() instanceof Uint8Array);
      return { serialize: () => signed };
    },
  };
  const signer = { address: SOLANA, signTransaction: async (bytes) => (assert.ok(bytes instanceof Uint8Array), signed) };
  for (const choice of hostChoices([adapter, signer])) {
    const account = await choice.connect(true);
    assert.deepEqual([account.family, account.address], ['solana', SOLANA]);
    assert.deepEqual(await account.wallet.signTransaction(Uint8Array.of(9)), signed);
  }
});

test('a wallet of the Wallet Standard is connected by its own feature', async () => {
  const features = { 'standard:connect': { connect: async () => ({ accounts: [{ address: SOLANA }] }) }, 'solana:signTransaction': { signTransaction: async () => [{ signedTransaction: signed }] } };
  const account = await hostChoices({ name: 'Lantern', accounts: [], features })[0].connect();
  assert.deepEqual([account.name, account.address], ['Lantern', SOLANA]);
});

test('what is no wallet is refused', () => {
  assert.throws(() => hostChoices({ hello: 1 }), TypeError);
  assert.deepEqual(hostChoices(undefined), []);
});
