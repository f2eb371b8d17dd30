// How long the service takes from the block that makes a deposit final to the broadcast of its fill. Used by measure.js; by itself
// it measures the service at CAUSEWAY_URL.
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Causeway, DOLLARS, FILLERS, shared } from './swaps.js';

/** So many blocks after its own a deposit is final in the sandbox. */
const DEPTH = 2;
const [FROM, TO] = [[8453, 'USDC'], [10, 'USDC']];

/** The fillers' next nonces on a chain, with what waits for a block. */
async function nonces(causeway, chainId) {
  const accounts = Object.values(FILLERS).map(({ hot }) => hot.address);
  const read = (address) => causeway.read(chainId).getTransactionCount({ address, blockTag: 'pending' });
  return (await Promise.all(accounts.map(read))).reduce((sum, nonce) => sum + nonce, 0);
}

/** When `happened` first answers true, to a few milliseconds. */
async function moment(happened) {
  while (!(await happened())) await sleep(2);
  return performance.now();
}

async function delay(causeway, payer) {
  const swap = await causeway.quoteAndBuild(payer, FROM, TO, 50n * DOLLARS);
  const before = await nonces(causeway, TO[0]);
  const hashes = await causeway.sendTransactions(swap);
  const { blockNumber } = await causeway.receipt(FROM[0], hashes.at(-1));
  const head = () => causeway.read(FROM[0]).getBlockNumber({ cacheTime: 0 });
  const [final, sent] = await Promise.all([
    moment(async () => (await head()) >= blockNumber + BigInt(DEPTH)),
    moment(async () => (await nonces(causeway, TO[0])) > before),
  ]);
  await causeway.until((await causeway.submit(swap, { txHash: hashes.at(-1) })).orderId, 'filled');
  return sent - final;
}

/** The delays of so many swaps, in milliseconds, after one that gives the allowances. */
export async function fillDelays(causeway, count) {
  const payer = await causeway.payer(FROM[0], { USDC: 10_000n * DOLLARS });
  await causeway.swap(payer, FROM, TO, 50n * DOLLARS);
  const delays = [];
  while (delays.length < count) delays.push(await delay(causeway, payer));
  return delays;
}

export const fillDelaysAt = (url, count) => fillDelays(new Causeway(url), count);

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const delays = (await fillDelays(shared(), Number(process.argv[2] ?? 10))).map(Math.round);
  console.log(`${delays.join(', ')} ms; median ${[...delays].sort((one, other) => one - other)[Math.floor(delays.length / 2)]} ms`);
}
