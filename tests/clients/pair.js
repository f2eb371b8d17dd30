import assert from 'node:assert/strict';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { concatHex, keccak256, numberToHex, parseEther, toRlp, trim } from 'viem';
import { startAnvil } from './anvil.js';

const base = process.env.CAUSEWAY_URL ?? 'http://127.0.0.1:8080';
export const GWEI = 1_000_000_000n;
const PHRASE = 'test test test test test test test test test test test junk';
const RECEIPT = [
  'status', 'type', 'gasUsed', 'cumulativeGasUsed', 'effectiveGasPrice', 'contractAddress', 'from', 'to',
  'transactionHash', 'transactionIndex', 'logsBloom',
];
const LOG = ['address', 'topics', 'data', 'logIndex', 'transactionHash', 'transactionIndex', 'removed'];

export const pick = (from, names) => Object.fromEntries(names.map((name) => [name, from[name]]));

async function post(url, body) {
  const response = await fetch(url, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  return response.json();
}

/** One of the two nodes. */
class Node {
  constructor(name, url, mine) {
    Object.assign(this, { name, url, mine });
  }

  /** The answer as it came: `result` or `error`. */
  answer(method, params = []) {
    return post(this.url, { jsonrpc: '2.0', id: 1, method, params });
  }

  async ask(method, ...params) {
    const { result, error } = await this.answer(method, params);
    assert.equal(error, undefined, `${this.name}: ${method}: ${error?.message}`);
    return result;
  }
}

/** The sandbox and anvil in step: the same transactions, block by block, from the same base fee on. */
export class Pair {
  /** On a chain that no other test uses meanwhile, because its blocks are stopped. */
  static async open(chainId) {
    const url = `${base}/sandbox/rpc/${chainId}`;
    const control = async (body) => {
      const refused = await post(`${base}/sandbox/control/${chainId}`, body);
      assert.equal(refused.name, undefined, refused.message);
    };
    await control({ action: 'pause' });
    const sandbox = new Node('the sandbox', url, () => control({ action: 'mine', blocks: 1 }));
    const { baseFeePerGas: [, next] } = await sandbox.ask('eth_feeHistory', '0x1', 'latest', []);
    const { url: anvilUrl, stop } = await startAnvil(chainId, BigInt(next));
    const anvil = new Node('anvil', anvilUrl, () => anvil.ask('evm_mine'));
    await anvil.ask('anvil_setNextBlockBaseFeePerGas', next);
    const pair = new Pair();
    Object.assign(pair, { chainId, sandbox, anvil, nodes: [sandbox, anvil] });
    pair.close = () => Promise.all([control({ action: 'resume' }), stop()]);
    pair.height = BigInt(await sandbox.ask('eth_blockNumber')) - BigInt(await anvil.ask('eth_blockNumber'));
    return pair;
  }

  both(deed) {
    return Promise.all(this.nodes.map(deed));
  }

  mine() {
    return this.both((node) => node.mine());
  }

  /** Asks both, and demands one answer. `face` leaves out what no two nodes share, such as hashes of blocks. */
  async same(method, params, face = (answer) => answer) {
    const [ours, anvils] = await this.both((node) => node.ask(method, ...params));
    assert.deepEqual(face(ours), face(anvils), method);
    return ours;
  }

  /** A block's number on both sides, from the sandbox's. */
  numbers(number) {
    return [numberToHex(BigInt(number)), numberToHex(BigInt(number) - this.height)];
  }

  /** Sends signed transactions to both, makes one block, and demands the same receipts. */
  async play(...signed) {
    for (const raw of signed) await this.send(raw);
    await this.mine();
    const receipts = [];
    for (const raw of signed) receipts.push(await this.receipt(keccak256(raw)));
    return receipts.length === 1 ? receipts[0] : receipts;
  }

  send(raw) {
    return this.same('eth_sendRawTransaction', [raw]);
  }

  async receipt(hash) {
    const [ours, anvils] = await this.both((node) => node.ask('eth_getTransactionReceipt', hash));
    assert.ok(ours && anvils, `only one has a receipt of ${hash}`);
    assert.deepEqual(this.face(ours, 0n), this.face(anvils, this.height));
    return ours;
  }

  /** What both sides must agree on about a receipt. */
  face(receipt, height) {
    const blockNumber = BigInt(receipt.blockNumber) + height;
    return { ...pick(receipt, RECEIPT), blockNumber, logs: receipt.logs.map((log) => this.logFace(log, height)) };
  }

  logFace(log, height) {
    return { ...pick(log, LOG), blockNumber: BigInt(log.blockNumber) + height };
  }

  /** An account that has never been used, with the same coins on both sides. */
  async newcomer(coins = '100') {
    const account = privateKeyToAccount(generatePrivateKey());
    const rich = mnemonicToAccount(PHRASE, { addressIndex: 9 });
    await this.both(async (node) => {
      const nonce = Number(await node.ask('eth_getTransactionCount', rich.address, 'latest'));
      const value = parseEther(coins);
      const terms = { type: 'legacy', chainId: this.chainId, nonce, to: account.address, value, gas: 21_000n, gasPrice: 5n * GWEI };
      await node.ask('eth_sendRawTransaction', await rich.signTransaction(terms));
    });
    await this.mine();
    await this.same('eth_getBalance', [account.address, 'latest']);
    return account;
  }
}

/** Signs without looking: stock libraries refuse to sign some of what a node must refuse. */
export async function signBlindly(account, terms) {
  const number = (value) => (value ? numberToHex(value) : '0x');
  const { nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, data } = terms;
  const fields = [
    number(terms.chainId), number(nonce), number(maxPriorityFeePerGas), number(maxFeePerGas), number(gas),
    to ?? '0x', number(value), data ?? '0x', [],
  ];
  const signature = await account.sign({ hash: keccak256(concatHex(['0x02', toRlp(fields)])) });
  const part = (from, to) => trim(`0x${signature.slice(from, to)}`);
  const parity = signature.endsWith('1c') ? '0x01' : '0x';
  return concatHex(['0x02', toRlp([...fields, parity, part(2, 66), part(66, 130)])]);
}
