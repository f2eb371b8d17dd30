// Swaps 25 USDC on Base for ETH on Ethereum, and logs each step.
//
//   CAUSEWAY_URL=http://127.0.0.1:8080 KEY=0x… MIN_OUT=7000000000000000 node examples/swap.js
//
// Without KEY it creates an account and funds it from the sandbox's faucet.
import { createCauseway, QuoteExpiredError, ServiceError } from '@causeway/sdk';
import { fromViem } from '@causeway/sdk/viem';
import { createWalletClient, http, publicActions } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';

const url = process.env.CAUSEWAY_URL ?? 'http://127.0.0.1:8080';
const causeway = createCauseway({ baseUrl: url });

// The minimum output in wei. Derive it from a price source of your own, because the price of the quote comes from the service.
const minAmountOut = process.env.MIN_OUT ?? '1';

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const COIN = '0x0000000000000000000000000000000000000000';

const account = privateKeyToAccount(/** @type {`0x${string}`} */ (process.env.KEY ?? generatePrivateKey()));

// The service proxies the sandbox's chains. For real chains, set RPC to an endpoint of your own.
const wallet = createWalletClient({ account, chain: base, transport: http(process.env.RPC ?? `${url}/sandbox/rpc/${base.id}`) }).extend(publicActions);
if (!process.env.KEY) {
  await faucet(COIN, 10n ** 18n);
  await faucet(USDC, 25_000_000n);
}

try {
  const order = await swap();
  console.log(`Filled: ${order.transactions?.fill?.txHash}`);
} catch (error) {
  if (!(error instanceof ServiceError)) throw error;
  console.error(`${error.name} ${error.code}: ${error.message}`);
  process.exitCode = 1;
}

/** Requests a new quote if the last one expired before it was signed. */
async function swap() {
  const ask = {
    tradeType: 'EXACT_INPUT', fromChainId: base.id, fromToken: USDC, toChainId: 1, toToken: COIN, amount: '25000000',
    fromAddress: account.address,
  };
  for (;;) {
    try {
      return await causeway.executeSwap(ask, fromViem(wallet), { minAmountOut, onStep: log });
    } catch (error) {
      if (!(error instanceof QuoteExpiredError)) throw error;
    }
  }
}

/** @param {import('@causeway/sdk').Step} step */
function log(step) {
  switch (step.type) {
    case 'chosen':
      return console.log(`${step.route.routeId} returns ${step.route.quote.amountOut} wei`);
    case 'built':
      return step.deposit.summary?.forEach((sentence) => console.log(`- ${sentence}`));
    case 'sent':
      return console.log(`${step.deposit ? 'Deposit' : 'Approval'} ${step.txHash}`);
    case 'status':
      return console.log(`Order ${step.order.id} is ${step.order.status}`);
    default:
      return undefined;
  }
}

/**
 * @param {string} token
 * @param {bigint} amount
 */
async function faucet(token, amount) {
  const body = JSON.stringify({ chainId: base.id, address: account.address, token, amount: String(amount) });
  const response = await fetch(`${url}/sandbox/faucet`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!response.ok) throw new Error(await response.text());
  await wallet.waitForTransactionReceipt({ hash: (await response.json()).txHash });
}
