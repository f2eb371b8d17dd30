import { createPublicClient, createWalletClient, defineChain, erc20Abi, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

if (!process.env.CAUSEWAY_URL) throw new Error('set CAUSEWAY_URL to the URL of a running Causeway, such as http://127.0.0.1:8080');

/** The service under test. */
export const BASE = process.env.CAUSEWAY_URL;

export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const COIN = '0x0000000000000000000000000000000000000000';

export const rpc = (chainId) => `${BASE}/sandbox/rpc/${chainId}`;

/** Options of viem clients for a chain of the sandbox. */
export function clientOptions(chainId) {
  const nativeCurrency = { name: 'Coin', symbol: 'COIN', decimals: 18 };
  const chain = defineChain({ id: chainId, name: `sandbox ${chainId}`, rpcUrls: { default: { http: [rpc(chainId)] } }, nativeCurrency });
  return { chain, transport: http(rpc(chainId)), pollingInterval: 100 };
}

export const reader = (chainId) => createPublicClient(clientOptions(chainId));
export const walletOf = (chainId, account) => createWalletClient({ ...clientOptions(chainId), account });

/** Requests tokens from the sandbox's faucet; returns the transaction hash. */
export async function fund(chainId, address, token, amount) {
  const body = JSON.stringify({ chainId, address, token, amount: String(amount) });
  const response = await fetch(`${BASE}/sandbox/faucet`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!response.ok) throw new Error(await response.text());
  const { txHash } = await response.json();
  return txHash;
}

/** A new account with ETH and USDC on Base. */
export async function payer() {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  for (const [token, amount] of [[COIN, 10n ** 18n], [USDC, 100_000_000n]]) {
    await reader(8453).waitForTransactionReceipt({ hash: await fund(8453, account.address, token, amount) });
  }
  return { key, account };
}

export const usdcOf = (address) => reader(8453).readContract({ address: USDC, abi: erc20Abi, functionName: 'balanceOf', args: [address] });

/** A quote request from 25 USDC on Base to ETH on Ethereum. */
export const swapOf = (fromAddress, changes = {}) => ({
  tradeType: 'EXACT_INPUT', fromChainId: 8453, fromToken: USDC, toChainId: 1, toToken: COIN, amount: '25000000', fromAddress, ...changes,
});
