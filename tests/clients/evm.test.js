import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Contract, HDNodeWallet, JsonRpcProvider, Mnemonic, parseUnits } from 'ethers';
import { createPublicClient, createWalletClient, defineChain, erc20Abi, http, parseEther, parseEventLogs } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

const base = process.env.CAUSEWAY_URL ?? 'http://127.0.0.1:8080';
const PHRASE = 'test test test test test test test test test test test junk';
const OTHER = '0x00000000000000000000000000000000000B0b00';
const USDC = { 1: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 8453: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';

function clients(id, index) {
  const url = `${base}/sandbox/rpc/${id}`;
  const chain = defineChain({
    id, name: `sandbox ${id}`, rpcUrls: { default: { http: [url] } },
    nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    contracts: { multicall3: { address: '0xcA11bde05977b3631167028862bE2a173976CA11' } },
  });
  const account = mnemonicToAccount(PHRASE, { addressIndex: index });
  const options = { chain, transport: http(url), pollingInterval: 100 };
  return { account, read: createPublicClient(options), write: createWalletClient({ ...options, account }) };
}

for (const id of [1, 8453]) {
  test(`viem transfers the native coin and USDC on chain ${id}, with receipts, logs and balances`, async () => {
    const { account, read, write } = clients(id, 2);
    assert.equal(await read.getChainId(), id);

    const before = await read.getBalance({ address: OTHER });
    const coin = await write.sendTransaction({ to: OTHER, value: parseEther('0.5') });
    const coinReceipt = await read.waitForTransactionReceipt({ hash: coin });
    assert.equal(coinReceipt.status, 'success');
    assert.equal(coinReceipt.gasUsed, 21_000n);
    assert.equal((await read.getBalance({ address: OTHER })) - before, parseEther('0.5'));

    const token = { address: USDC[id], abi: erc20Abi };
    const held = await read.readContract({ ...token, functionName: 'balanceOf', args: [OTHER] });
    const { request } = await read.simulateContract({
      ...token, account, functionName: 'transfer', args: [OTHER, 1_500_000n],
    });
    const receipt = await read.waitForTransactionReceipt({ hash: await write.writeContract(request), confirmations: 2 });
    const [log] = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: receipt.logs });
    assert.deepEqual(log.args, { from: account.address, to: OTHER, value: 1_500_000n });
    const logs = await read.getLogs({
      address: USDC[id], event: erc20Abi.find((item) => item.name === 'Transfer'),
      fromBlock: receipt.blockNumber, toBlock: receipt.blockNumber, args: { to: OTHER },
    });
    assert.equal(logs.length, 1);
    const [symbol, decimals, balance] = await read.multicall({
      allowFailure: false,
      contracts: [
        { ...token, functionName: 'symbol' }, { ...token, functionName: 'decimals' },
        { ...token, functionName: 'balanceOf', args: [OTHER] },
      ],
    });
    assert.deepEqual([symbol, decimals, balance], ['USDC', 6, held + 1_500_000n]);
  });
}

test('viem reports insufficient funds and a revert', async () => {
  const { account, read } = clients(1, 3);
  await assert.rejects(
    () => read.estimateGas({ account, to: OTHER, value: parseEther('1000000') }),
    /exceeds the balance|insufficient funds/,
  );
  const overdrawn = { address: USDC[1], abi: erc20Abi, account, functionName: 'transfer', args: [OTHER, 10n ** 30n] };
  await assert.rejects(() => read.simulateContract(overdrawn), /revert/);
});

test('USDT on Ethereum requires a zero allowance before a new one, like the real token', async () => {
  const { account, read, write } = clients(1, 4);
  const usdt = { address: USDT, abi: erc20Abi.map((item) => (item.name === 'approve' ? { ...item, outputs: [] } : item)) };
  const approve = (amount) => ({ ...usdt, account, functionName: 'approve', args: [OTHER, amount] });
  const sent = await write.writeContract((await read.simulateContract(approve(5n))).request);
  await read.waitForTransactionReceipt({ hash: sent });
  await assert.rejects(() => read.simulateContract(approve(6n)), /revert/);
  await read.simulateContract(approve(0n));
});

test('ethers sends transactions and reads balances', async () => {
  const provider = new JsonRpcProvider(`${base}/sandbox/rpc/42161`, undefined, { pollingInterval: 100 });
  const wallet = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(PHRASE), "m/44'/60'/0'/0/5").connect(provider);
  const abi = ['function transfer(address, uint256) returns (bool)', 'function balanceOf(address) view returns (uint256)'];
  const usdc = new Contract('0xaf88d065e77c8cC2239327C5EDb3A432268e5831', abi, wallet);
  const before = await usdc.balanceOf(OTHER);
  const receipt = await (await usdc.transfer(OTHER, parseUnits('2', 6))).wait();
  assert.equal(receipt.status, 1);
  assert.equal((await usdc.balanceOf(OTHER)) - before, 2_000_000n);
  provider.destroy();
});
