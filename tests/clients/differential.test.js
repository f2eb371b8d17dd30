import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import {
  concatHex, encodeFunctionData, getContractAddress, keccak256, maxUint256, numberToHex, pad, parseEther, toEventSelector,
} from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { GWEI, Pair, pick } from './pair.js';

const { abi, bytecode } = JSON.parse(
  await readFile(new URL('../../contracts/evm/artifacts/WrappedNative.json', import.meta.url)),
);
// A chain that charges nothing for data, as anvil does.
const CHAIN = 56;
/** An account without funds on both nodes. */
const OTHER = privateKeyToAddress(generatePrivateKey()).toLowerCase();
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');
const DEPOSIT = toEventSelector('Deposit(address,uint256)');
const fees = { maxFeePerGas: 5n * GWEI, maxPriorityFeePerGas: GWEI };
const token = (functionName, ...args) => encodeFunctionData({ abi, functionName, args });
const topic = (address) => pad(address, { size: 32 }).toLowerCase();
const balanceSlot = (holder) => keccak256(concatHex([pad(holder, { size: 32 }), numberToHex(3, { size: 32 })]));

let pair;
before(async () => { pair = await Pair.open(CHAIN); }, { timeout: 120_000 });
after(() => pair?.close());

/** Signs transactions of an account with consecutive nonces. */
function signer(account) {
  let nonce = 0;
  return (terms) => account.signTransaction({ chainId: CHAIN, nonce: nonce++, gas: 100_000n, ...terms });
}

async function accounts(account, ...others) {
  for (const address of [account.address, OTHER, ...others]) {
    await pair.same('eth_getBalance', [address, 'latest']);
    await pair.same('eth_getTransactionCount', [address, 'latest']);
    await pair.same('eth_getCode', [address, 'latest']);
  }
}

/** Deploys WrappedNative on both nodes with a new account, which wraps ten coins. */
async function deployed() {
  const account = await pair.newAccount();
  const sign = signer(account);
  const receipt = await pair.play(await sign({ type: 'eip1559', ...fees, gas: 2_000_000n, data: bytecode }));
  assert.equal(receipt.status, '0x1');
  assert.equal(receipt.contractAddress, getContractAddress({ from: account.address, nonce: 0n }).toLowerCase());
  const at = receipt.contractAddress;
  const send = (data, terms) => sign({ type: 'eip1559', ...fees, to: at, data, ...terms });
  const wrapped = await pair.play(await send(token('deposit'), { value: parseEther('10') }));
  return { account, sign, send, at, wrapped };
}

test('transfers of every type have the same receipts, balances and nonces', { timeout: 120_000 }, async () => {
  const account = await pair.newAccount();
  const sign = signer(account);
  const to = { to: OTHER, value: 7n };
  const accessList = [{ address: OTHER, storageKeys: [pad('0x1', { size: 32 })] }];
  const kinds = [
    { type: 'legacy', gasPrice: 3n * GWEI },
    { type: 'eip2930', gasPrice: 3n * GWEI, accessList },
    { type: 'eip1559', ...fees },
    { type: 'eip1559', ...fees, accessList },
    { type: 'eip1559', maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: 2n * GWEI },
  ];
  for (const kind of kinds) {
    const raw = await sign({ ...to, ...kind });
    const receipt = await pair.play(raw);
    assert.equal(receipt.status, '0x1');
    await pair.same('eth_getTransactionByHash', [keccak256(raw)], (tx) => pick(tx, [
      'hash', 'from', 'to', 'value', 'gas', 'gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas', 'input', 'nonce', 'type',
      'accessList', 'chainId', 'r', 's', 'v', 'transactionIndex',
    ]));
  }
  await accounts(account);
});

test('a deployed token has the same events, storage and call results', { timeout: 120_000 }, async () => {
  const { account, send, at, wrapped } = await deployed();
  assert.deepEqual(wrapped.logs[0].topics, [DEPOSIT, topic(account.address)]);
  const spender = await pair.newAccount();
  await pair.play(await send(token('transfer', OTHER, 5n)));
  await pair.play(await send(token('approve', spender.address, maxUint256)));
  const spend = signer(spender);
  await pair.play(await spend({ type: 'legacy', gasPrice: 4n * GWEI, to: at, data: token('transferFrom', account.address, OTHER, 6n) }));
  await pair.play(await send(token('withdraw', parseEther('1'))));
  await pair.play(await send('0x', { value: 3n }));

  for (const call of [token('balanceOf', OTHER), token('allowance', account.address, spender.address), token('totalSupply'), token('symbol')]) {
    await pair.same('eth_call', [{ to: at, data: call }, 'latest']);
    await pair.same('eth_call', [{ from: account.address, to: at, data: call }]);
  }
  const held = balanceSlot(OTHER);
  for (const key of [held, balanceSlot(account.address), '0x0', numberToHex(99, { size: 32 })]) {
    await pair.same('eth_getStorageAt', [at, key, 'latest'], BigInt);
  }
  assert.equal(BigInt(await pair.sandbox.request('eth_getStorageAt', at, held, 'latest')), 11n);
  await accounts(account, at, spender.address);

  // The storage root and the proofs are the same on both nodes.
  const keys = [held, balanceSlot(account.address), numberToHex(99, { size: 32 })];
  const proof = await pair.same('eth_getProof', [at, keys, 'latest'], ({ accountProof, ...rest }) => rest);
  assert.equal(BigInt(proof.storageProof[0].value), 11n);
});

test('transactions in one block have the same order, cumulative gas and log indices', { timeout: 120_000 }, async () => {
  const { send, at, account } = await deployed();
  const other = signer(await pair.newAccount());
  const receipts = await pair.play(
    await send(token('transfer', OTHER, 1n)),
    await send(token('transfer', OTHER, 2n)),
    await other({ type: 'eip1559', maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: 3n * GWEI, to: at, data: token('deposit'), value: 8n }),
  );
  assert.deepEqual(receipts.map((receipt) => Number(receipt.transactionIndex)), [1, 2, 0]);
  assert.deepEqual(receipts.map((receipt) => Number(receipt.logs[0].logIndex)), [1, 2, 0]);
  await accounts(account);
});

test('failed transactions use the same gas and leave the same state', { timeout: 120_000 }, async () => {
  const { account, sign, send, at } = await deployed();
  const failures = [
    await send(token('transfer', OTHER, parseEther('11'))),
    await send(token('transfer', OTHER, 1n), { gas: 30_000n }),
    await sign({ type: 'eip1559', ...fees, data: '0xfe' }),
    await sign({ type: 'eip1559', ...fees, data: '0x5f5ffd' }),
    await sign({ type: 'eip1559', ...fees, data: bytecode.slice(0, 2002) }),
  ];
  for (const raw of failures) {
    const receipt = await pair.play(raw);
    assert.deepEqual([receipt.status, receipt.logs], ['0x0', []]);
  }
  await accounts(account, at);
});

test('transactions behind a nonce gap are pending until it is filled', { timeout: 120_000 }, async () => {
  const account = await pair.newAccount();
  const sign = signer(account);
  const [first, second, third] = [
    await sign({ type: 'eip1559', ...fees, to: OTHER, value: 1n }),
    await sign({ type: 'eip1559', ...fees, to: OTHER, value: 2n }),
    await sign({ type: 'legacy', gasPrice: 9n * GWEI, to: OTHER, value: 3n }),
  ];
  await pair.send(third);
  await pair.send(second);
  await pair.mine();
  await pair.same('eth_getTransactionReceipt', [keccak256(second)]);
  await pair.same('eth_getTransactionCount', [account.address, 'latest']);
  await pair.play(first);
  assert.equal((await pair.receipt(keccak256(second))).transactionIndex, '0x1');
  assert.equal((await pair.receipt(keccak256(third))).transactionIndex, '0x2');
  await accounts(account);
});

test('log filters by address, topics, range and hash return the same', { timeout: 120_000 }, async () => {
  const { account, send, at, wrapped } = await deployed();
  await pair.play(await send(token('transfer', OTHER, 5n)));
  const last = await pair.play(await send(token('approve', OTHER, 9n)), await send(token('transfer', OTHER, 6n)));
  const [from, to] = [wrapped.blockNumber, last[0].blockNumber];
  const filters = [
    [{ address: at }, 4],
    [{ address: [at, OTHER], topics: [TRANSFER] }, 2],
    [{ topics: [[TRANSFER, DEPOSIT], topic(account.address)] }, 3],
    [{ address: at, topics: [null, topic(account.address), topic(OTHER)] }, 3],
    [{ address: at, topics: [TRANSFER, null, topic(at)] }, 0],
    [{ address: OTHER }, 0],
    [{ address: at, toBlock: from }, 1],
    [{ address: at, fromBlock: to }, 2],
  ];
  for (const [filter, count] of filters) {
    const range = { fromBlock: from, toBlock: to, ...filter };
    const [ours, anvils] = await pair.both((node, at) => {
      const number = (block) => pair.numbers(block)[at];
      return node.request('eth_getLogs', { ...range, fromBlock: number(range.fromBlock), toBlock: number(range.toBlock) });
    });
    assert.deepEqual(ours.map((log) => pair.normalizeLog(log, 0n)), anvils.map((log) => pair.normalizeLog(log, pair.height)));
    assert.equal(ours.length, count, JSON.stringify(filter));
  }
  const byHash = await pair.both(async (node, at) => {
    const block = await node.request('eth_getBlockByNumber', pair.numbers(to)[at], false);
    return node.request('eth_getLogs', { blockHash: block.hash });
  });
  assert.deepEqual(byHash.map((logs) => logs.map((log) => pick(log, ['address', 'data', 'logIndex', 'topics'])))[0].length, 2);
  assert.deepEqual(byHash[0].map((log) => log.data), byHash[1].map((log) => log.data));
});

test('blocks and fee history have the same shape, gas and base fees', { timeout: 120_000 }, async () => {
  const { send } = await deployed();
  const { blockNumber } = await pair.play(await send(token('transfer', OTHER, 5n)));
  for (const full of [false, true]) {
    const [ours, anvils] = await pair.both((node, at) => node.request('eth_getBlockByNumber', pair.numbers(blockNumber)[at], full));
    const missing = Object.keys(anvils).filter((field) => !(field in ours));
    // Anvil still returns a total difficulty, which was removed with the merge.
    assert.deepEqual(missing, ['totalDifficulty']);
    const equalFields = ['baseFeePerGas', 'blobGasUsed', 'difficulty', 'excessBlobGas', 'gasLimit', 'gasUsed', 'logsBloom', 'nonce',
      'receiptsRoot', 'requestsHash', 'sha3Uncles', 'transactionsRoot', 'uncles', 'withdrawals', 'withdrawalsRoot'];
    assert.deepEqual(pick(ours, equalFields), pick(anvils, equalFields));
    assert.deepEqual(
      ours.transactions.map((tx) => tx.hash ?? tx), anvils.transactions.map((tx) => tx.hash ?? tx),
    );
    for (const field of Object.keys(ours)) assert.equal(typeof ours[field], typeof (anvils[field] ?? ours[field]), field);
  }
  for (const percentiles of [[], [0, 50, 99.5]]) {
    const [ours, anvils] = await pair.both((node) => node.request('eth_feeHistory', '0x2', 'latest', percentiles));
    // The last is the next block's, which the sandbox's least base fee holds up.
    assert.deepEqual(ours.baseFeePerGas.slice(0, -1), anvils.baseFeePerGas.slice(0, -1));
    assert.deepEqual(ours.reward ?? [], anvils.reward);
    assert.equal(BigInt(ours.oldestBlock), BigInt(anvils.oldestBlock) + pair.height);
    ours.gasUsedRatio.forEach((ratio, at) => assert.ok(Math.abs(ratio - anvils.gasUsedRatio[at]) < 1e-8));
  }
  for (const method of ['eth_getBlockTransactionCountByNumber', 'eth_getUncleCountByBlockNumber']) {
    const [ours, anvils] = await pair.both((node, at) => node.request(method, pair.numbers(blockNumber)[at]));
    assert.equal(ours, anvils, method);
  }
  const [ours, anvils] = await pair.both((node, at) => node.request('eth_getBlockReceipts', pair.numbers(blockNumber)[at]));
  assert.deepEqual(ours.map((receipt) => pair.normalizeReceipt(receipt, 0n)), anvils.map((receipt) => pair.normalizeReceipt(receipt, pair.height)));
});

test('estimates suffice, agree within two percent, and are equal where there is one answer', { timeout: 120_000 }, async () => {
  const { account, at, sign } = await deployed();
  const from = account.address;
  await pair.same('eth_estimateGas', [{ from, to: OTHER, value: '0x1' }]);
  const requests = [
    { from, data: bytecode },
    { from, to: at, data: token('transfer', OTHER, 5n) },
    { from, to: at, data: token('withdraw', 5n) },
    { from, to: at, value: '0x5' },
  ];
  for (const request of requests) {
    const [ours, anvils] = (await pair.both((node) => node.request('eth_estimateGas', request))).map(Number);
    assert.ok(Math.abs(ours - anvils) <= anvils * 0.02, `${ours} and ${anvils}`);
    const receipt = await pair.play(await sign({
      type: 'eip1559', ...fees, gas: BigInt(ours), to: request.to, data: request.data, value: BigInt(request.value ?? 0),
    }));
    assert.equal(receipt.status, '0x1');
  }
});

test('an access list has the same accounts and slots', { timeout: 120_000 }, async () => {
  const { account, at } = await deployed();
  const call = { from: account.address, to: at, data: token('transfer', OTHER, 5n) };
  const sorted = ({ accessList }) => accessList.map(({ address, storageKeys }) => [address, [...storageKeys].sort()]).sort();
  const created = await pair.same('eth_createAccessList', [call, 'latest'], sorted);
  assert.deepEqual(created.accessList.map(({ storageKeys }) => storageKeys.length), [2]);
});

