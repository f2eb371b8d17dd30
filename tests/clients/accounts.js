// Real account contracts on the sandbox's chains: Safe 1.4.1, and of ERC-4337 the entry point, SimpleAccount and Simple7702Account.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import {
  concat, encodeAbiParameters, encodeDeployData, encodeFunctionData, encodePacked, getAddress, getContractAddress, hashTypedData,
  keccak256, toHex, zeroAddress,
} from 'viem';

const require = createRequire(import.meta.url);
const safeArtifact = (path) => require(`@safe-global/safe-contracts/build/artifacts/contracts/${path}.json`);
const SAFE = safeArtifact('Safe.sol/Safe');
const PROXY_FACTORY = safeArtifact('proxies/SafeProxyFactory.sol/SafeProxyFactory');
const FALLBACK_HANDLER = safeArtifact('handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler');
const MULTI_SEND = safeArtifact('libraries/MultiSend.sol/MultiSend');
const account4337 = (name) => require(`@account-abstraction/contracts/artifacts/${name}.json`);
const ENTRY_POINT = account4337('EntryPoint');
const ACCOUNT_FACTORY = account4337('SimpleAccountFactory');
const SIMPLE_ACCOUNT = account4337('SimpleAccount');
export const ACCOUNT_7702 = account4337('Simple7702Account');

/** The end of a signature by ERC-6492. */
const MAGIC_6492 = '0x6492649264926492649264926492649264926492649264926492649264926492';

/** Deploys a contract from an account with coins, and returns its address. */
export async function deploy(causeway, chainId, deployer, { abi, bytecode }, args = []) {
  const data = encodeDeployData({ abi, bytecode, args });
  const hash = await causeway.wallet(chainId, deployer).sendTransaction({ data });
  const { status, contractAddress } = await causeway.receipt(chainId, hash);
  assert.equal(status, 'success');
  return getAddress(contractAddress);
}

/** Deploys raw code, as a wallet contract of a few instructions. */
export const deployCode = (causeway, chainId, deployer, code) => {
  const size = (code.length - 2) / 2;
  // Copies what follows these eleven bytes, and returns it.
  const init = concat([`0x60${toHex(size, { size: 1 }).slice(2)}80600b6000396000f3`.padEnd(24, '0'), code]);
  return deploy(causeway, chainId, deployer, { abi: [], bytecode: init });
};

/** What the calls of a build are, without the change of the network. */
export const callsOf = ({ approvals = [] }) => approvals.filter(({ request }) => request.method === 'eth_sendTransaction')
  .map(({ request: { params: [{ to, data, value }] } }) => ({ to, data, value: BigInt(value ?? 0) }));

async function mined(causeway, chainId, hash) {
  const receipt = await causeway.receipt(chainId, hash);
  assert.equal(receipt.status, 'success', hash);
  return receipt;
}

/** The contracts that Safes are made of, deployed once on a chain. */
export async function safeContracts(causeway, chainId, deployer) {
  const one = (artifact) => deploy(causeway, chainId, deployer, artifact);
  return { deployer, singleton: await one(SAFE), factory: await one(PROXY_FACTORY), handler: await one(FALLBACK_HANDLER), multiSend: await one(MULTI_SEND) };
}

/** A Safe of these owners, all of whom must sign; it is not deployed before `deploy`. */
export class Safe {
  constructor(causeway, chainId, contracts, owners, salt = BigInt(Date.now()) * 1_000_000n + BigInt(Math.floor(Math.random() * 1e6))) {
    Object.assign(this, { causeway, chainId, contracts, salt });
    this.owners = [...owners].sort((one, other) => (one.address.toLowerCase() < other.address.toLowerCase() ? -1 : 1));
    const { singleton, factory, handler } = contracts;
    this.setup = encodeFunctionData({
      abi: SAFE.abi, functionName: 'setup',
      args: [this.owners.map(({ address }) => address), BigInt(owners.length), zeroAddress, '0x', handler, zeroAddress, 0n, zeroAddress],
    });
    const salted = keccak256(encodePacked(['bytes32', 'uint256'], [keccak256(this.setup), salt]));
    const bytecode = this.#proxyCode(singleton);
    this.address = getContractAddress({ opcode: 'CREATE2', from: factory, salt: salted, bytecode });
    this.creation = encodeFunctionData({ abi: PROXY_FACTORY.abi, functionName: 'createProxyWithNonce', args: [singleton, this.setup, salt] });
  }

  #proxyCode(singleton) {
    const { bytecode } = safeArtifact('proxies/SafeProxy.sol/SafeProxy');
    return concat([bytecode, encodeAbiParameters([{ type: 'address' }], [singleton])]);
  }

  async deploy() {
    const hash = await this.causeway.send(this.chainId, this.contracts.deployer, { to: this.contracts.factory, data: this.creation });
    await mined(this.causeway, this.chainId, hash);
    assert.notEqual(await this.causeway.read(this.chainId).getCode({ address: this.address }), undefined, 'deployed where predicted');
    return this;
  }

  /** Signs a Safe's transaction with all owners, as its interface does when it is proposed. */
  async propose(calls) {
    const packed = concat(calls.map(({ to, value, data }) => encodePacked(
      ['uint8', 'address', 'uint256', 'uint256', 'bytes'], [0, to, value, BigInt((data.length - 2) / 2), data],
    )));
    const batch = encodeFunctionData({ abi: MULTI_SEND.abi, functionName: 'multiSend', args: [packed] });
    const [to, value, data, operation] = calls.length === 1
      ? [calls[0].to, calls[0].value, calls[0].data, 0]
      : [this.contracts.multiSend, 0n, batch, 1];
    const nonce = await this.causeway.read(this.chainId).readContract({ address: this.address, abi: SAFE.abi, functionName: 'nonce' });
    const message = { to, value, data, operation, safeTxGas: 0n, baseGas: 0n, gasPrice: 0n, gasToken: zeroAddress, refundReceiver: zeroAddress, nonce };
    const fields = ['address to', 'uint256 value', 'bytes data', 'uint8 operation', 'uint256 safeTxGas', 'uint256 baseGas', 'uint256 gasPrice', 'address gasToken', 'address refundReceiver', 'uint256 nonce'];
    const SafeTx = fields.map((field) => ({ type: field.split(' ')[0], name: field.split(' ')[1] }));
    const signatures = await this.#signed({ types: { SafeTx }, primaryType: 'SafeTx', message });
    return encodeFunctionData({ abi: SAFE.abi, functionName: 'execTransaction', args: [to, value, data, operation, 0n, 0n, 0n, zeroAddress, zeroAddress, signatures] });
  }

  /** Executes what was proposed; anybody may, and pays the gas. */
  async execute(proposed) {
    const hash = await this.causeway.send(this.chainId, this.contracts.deployer, { to: this.address, data: proposed });
    await mined(this.causeway, this.chainId, hash);
    return hash;
  }

  /** The owners' signature of typed data in the Safe's name, as its EIP-1271 check takes it. */
  async sign(typed) {
    const digest = hashTypedData(typed);
    return this.#signed({ types: { SafeMessage: [{ type: 'bytes', name: 'message' }] }, primaryType: 'SafeMessage', message: { message: digest } });
  }

  /** The same before the Safe is deployed (ERC-6492). */
  async signCounterfactual(typed) {
    const parts = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }];
    return concat([encodeAbiParameters(parts, [this.contracts.factory, this.creation, await this.sign(typed)]), MAGIC_6492]);
  }

  async #signed(typed) {
    const domain = { chainId: this.chainId, verifyingContract: this.address };
    return concat(await Promise.all(this.owners.map((owner) => owner.signTypedData({ domain, ...typed }))));
  }
}

/** The entry point of ERC-4337 and a factory of accounts. */
export async function entryPoint(causeway, chainId, deployer) {
  const address = await deploy(causeway, chainId, deployer, ENTRY_POINT);
  return { deployer, address, factory: await deploy(causeway, chainId, deployer, ACCOUNT_FACTORY, [address]) };
}

/** A SimpleAccount of an owner; its first operation deploys it. */
export class Account4337 {
  static async of(causeway, chainId, contracts, owner) {
    const address = await causeway.read(chainId).readContract({ address: contracts.factory, abi: ACCOUNT_FACTORY.abi, functionName: 'getAddress', args: [owner.address, 0n] });
    return Object.assign(new Account4337(), { causeway, chainId, contracts, owner, address });
  }

  /** Has a bundler send one operation with these calls; the account pays for its gas. */
  async send(calls) {
    const { causeway, chainId, contracts, owner, address: sender } = this;
    const read = causeway.read(chainId);
    const onEntryPoint = (functionName, args) => read.readContract({ address: contracts.address, abi: ENTRY_POINT.abi, functionName, args });
    const isDeployed = (await read.getCode({ address: sender })) !== undefined;
    const creation = encodeFunctionData({ abi: ACCOUNT_FACTORY.abi, functionName: 'createAccount', args: [owner.address, 0n] });
    const operation = {
      sender, nonce: await onEntryPoint('getNonce', [sender, 0n]), initCode: isDeployed ? '0x' : concat([contracts.factory, creation]),
      callData: encodeFunctionData({ abi: SIMPLE_ACCOUNT.abi, functionName: 'executeBatch', args: [calls.map(({ to, value, data }) => ({ target: to, value, data }))] }),
      accountGasLimits: concat([toHex(1_000_000n, { size: 16 }), toHex(1_000_000n, { size: 16 })]), preVerificationGas: 100_000n,
      gasFees: concat([toHex(10n ** 9n, { size: 16 }), toHex(10n ** 10n, { size: 16 })]), paymasterAndData: '0x', signature: '0x',
    };
    operation.signature = await owner.sign({ hash: await onEntryPoint('getUserOpHash', [operation]) });
    const data = encodeFunctionData({ abi: ENTRY_POINT.abi, functionName: 'handleOps', args: [[operation], contracts.deployer.address] });
    const hash = await causeway.send(chainId, contracts.deployer, { to: contracts.address, data, gas: 5_000_000n });
    await mined(causeway, chainId, hash);
    return hash;
  }
}

/** Lets an account with a key run the code of a contract (EIP-7702). */
export async function delegate(causeway, chainId, account, contractAddress) {
  const wallet = causeway.wallet(chainId, account);
  const authorization = await wallet.signAuthorization({ account, contractAddress, executor: 'self' });
  await mined(causeway, chainId, await wallet.sendTransaction({ to: account.address, authorizationList: [authorization] }));
  const code = await causeway.read(chainId).getCode({ address: account.address });
  assert.equal(code, concat(['0xef0100', contractAddress.toLowerCase()]));
}

/** The calls of a delegated account as one transaction. */
export const batchOf = (calls) => encodeFunctionData({ abi: ACCOUNT_7702.abi, functionName: 'executeBatch', args: [calls.map(({ to, value, data }) => ({ target: to, value, data }))] });
