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
    signal: AbortSignal.timeout(60_000),
  });
  return response.json();
}

/** A node: the sandbox or anvil. */
class Node {
  constructor(name, url, mine) {
    Object.assign(this, { name, url, mine });
  }

  /** Sends a request; returns the whole response. */
  respond(method, params = []) {
    return post(this.url, { jsonrpc: '2.0', id: 1, method, params });
  }

  async request(method, ...params) {
    const { result, error } = await this.respond(method, params);
    assert.equal(error, undefined, `${this.name}: ${method}: ${error?.message}`);
    return result;
  }
}

/** The sandbox and anvil with the same transactions, block by block, from the same base fee. */
export class Pair {
  /** Opens a pair on a chain that no other test uses, because its block production is paused. */
  static async open(chainId) {
    const url = `${base}/sandbox/rpc/${chainId}`;
    const control = async (body) => {
      const response = await post(`${base}/sandbox/control/${chainId}`, body);
      assert.equal(response.name, undefined, response.message);
    };
    await control({ action: 'pause' });
    const sandbox = new Node('the sandbox', url, () => control({ action: 'mine', blocks: 1 }));
    const { baseFeePerGas: [, next] } = await sandbox.request('eth_feeHistory', '0x1', 'latest', []);
    const { url: anvilUrl, stop } = await startAnvil(chainId, BigInt(next));
    const anvil = new Node('anvil', anvilUrl, () => anvil.request('evm_mine'));
    await anvil.request('anvil_setNextBlockBaseFeePerGas', next);
    const pair = new Pair();
    Object.assign(pair, { chainId, sandbox, anvil, nodes: [sandbox, anvil] });
    pair.close = () => Promise.all([control({ action: 'resume' }), stop()]);
    pair.height = BigInt(await sandbox.request('eth_blockNumber')) - BigInt(await anvil.request('eth_blockNumber'));
    return pair;
  }

  both(action) {
    return Promise.all(this.nodes.map(action));
  }

  /** Mines one block on each, at the sandbox's base fee: its chains have a least one, which anvil does not know. */
  async mine() {
    const { baseFeePerGas: [, next] } = await this.sandbox.request('eth_feeHistory', '0x1', 'latest', []);
    await this.anvil.request('anvil_setNextBlockBaseFeePerGas', next);
    await this.both((node) => node.mine());
  }

  /** Calls both nodes and asserts equal results. `normalize` removes what differs between nodes, such as block hashes. */
  async same(method, params, normalize = (result) => result) {
    const [ours, anvils] = await this.both((node) => node.request(method, ...params));
    assert.deepEqual(normalize(ours), normalize(anvils), method);
    return ours;
  }

  /** The number of a block on both nodes, from the sandbox's number. */
  numbers(number) {
    return [numberToHex(BigInt(number)), numberToHex(BigInt(number) - this.height)];
  }

  /** Sends signed transactions to both nodes, mines one block, and asserts equal receipts. */
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
    const [ours, anvils] = await this.both((node) => node.request('eth_getTransactionReceipt', hash));
    assert.ok(ours && anvils, `a receipt of ${hash} is missing`);
    assert.deepEqual(this.normalizeReceipt(ours, 0n), this.normalizeReceipt(anvils, this.height));
    return ours;
  }

  /** The fields of a receipt that must be equal on both nodes. */
  normalizeReceipt(receipt, height) {
    const blockNumber = BigInt(receipt.blockNumber) + height;
    return { ...pick(receipt, RECEIPT), blockNumber, logs: receipt.logs.map((log) => this.normalizeLog(log, height)) };
  }

  normalizeLog(log, height) {
    return { ...pick(log, LOG), blockNumber: BigInt(log.blockNumber) + height };
  }

  /** A new account with the same balance on both nodes. */
  async newAccount(coins = '100') {
    const account = privateKeyToAccount(generatePrivateKey());
    const funder = mnemonicToAccount(PHRASE, { addressIndex: 9 });
    await this.both(async (node) => {
      const nonce = Number(await node.request('eth_getTransactionCount', funder.address, 'latest'));
      const value = parseEther(coins);
      const terms = { type: 'legacy', chainId: this.chainId, nonce, to: account.address, value, gas: 21_000n, gasPrice: 5n * GWEI };
      await node.request('eth_sendRawTransaction', await funder.signTransaction(terms));
    });
    await this.mine();
    await this.same('eth_getBalance', [account.address, 'latest']);
    return account;
  }
}

/** Signs without validation: libraries refuse to sign some transactions that a node must reject. */
export async function signUnchecked(account, terms) {
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
