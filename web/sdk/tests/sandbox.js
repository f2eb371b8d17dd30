import { createPublicClient, createWalletClient, defineChain, erc20Abi, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

if (!process.env.CAUSEWAY_URL) throw new Error('set CAUSEWAY_URL to the address of a running Causeway, such as http://127.0.0.1:8080');

/** The service under test. */
export const BASE = process.env.CAUSEWAY_URL;

export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const COIN = '0x0000000000000000000000000000000000000000';

export const rpc = (chainId) => `${BASE}/sandbox/rpc/${chainId}`;

/** Options of viem's clients for a chain of the sandbox. */
export function at(chainId) {
  const nativeCurrency = { name: 'Coin', symbol: 'COIN', decimals: 18 };
  const chain = defineChain({ id: chainId, name: `sandbox ${chainId}`, rpcUrls: { default: { http: [rpc(chainId)] } }, nativeCurrency });
  return { chain, transport: http(rpc(chainId)), pollingInterval: 100 };
}

export const reader = (chainId) => createPublicClient(at(chainId));
export const walletOf = (chainId, account) => createWalletClient({ ...at(chainId), account });

/** Has the sandbox's faucet give, and waits until it has. */
export async function give(chainId, address, token, amount) {
  const body = JSON.stringify({ chainId, address, token, amount: String(amount) });
  const response = await fetch(`${BASE}/sandbox/faucet`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!response.ok) throw new Error(await response.text());
  const { txHash } = await response.json();
  return txHash;
}

/** A fresh account on Base with some of its coin and some USDC. */
export async function payer() {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  for (const [token, amount] of [[COIN, 10n ** 18n], [USDC, 100_000_000n]]) {
    await reader(8453).waitForTransactionReceipt({ hash: await give(8453, account.address, token, amount) });
  }
  return { key, account };
}

export const usdcOf = (address) => reader(8453).readContract({ address: USDC, abi: erc20Abi, functionName: 'balanceOf', args: [address] });

/** From 25 USDC on Base to Ethereum's coin. */
export const swapOf = (fromAddress, more = {}) => ({
  tradeType: 'EXACT_INPUT', fromChainId: 8453, fromToken: USDC, toChainId: 1, toToken: COIN, amount: '25000000', fromAddress, ...more,
});
