// Run by scripts/measure-sandbox: starts the given binary and prints one table.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mnemonicToAccount } from 'viem/accounts';
import { fillDelaysAt } from './measure-fills.js';

const [binary] = process.argv.slice(2);
const [STARTS, TRANSFERS, FILLS, SETTLE_MS, IDLE_MS, START_LIMIT_MS] = [10, 20, 10, 5_000, 20_000, 60_000];
const [EVM, SOLANA] = [8453, 20011000000];
const TICKS = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

const sorted = (times) => [...times].sort((one, other) => one - other);
const median = (times) => sorted(times)[Math.floor(times.length / 2)];
const ms = (time) => `${Math.round(time)} ms`;

async function call(url, chain, method, params = []) {
  const response = await fetch(`${url}/sandbox/rpc/${chain}`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, signal: AbortSignal.timeout(10_000),
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Starts with an empty data folder and measures the time until an EVM chain and Solana respond. */
async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-'));
  const startedAt = performance.now();
  const child = spawn(binary, ['--listen', '127.0.0.1:0', '--data-dir', folder], { stdio: ['ignore', 'pipe', 'ignore'] });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const url = await new Promise((resolve, reject) => {
    let output = '';
    setTimeout(() => reject(new Error('the start-up summary has no address')), START_LIMIT_MS).unref();
    child.once('exit', (code) => reject(new Error(`the process exited with ${code}`)));
    child.once('error', reject);
    child.stdout.on('data', (text) => {
      output += text;
      const address = output.match(/http:\/\/[^\s/]+/)?.[0];
      if (address) resolve(address);
    });
  });
  await Promise.all([call(url, EVM, 'eth_chainId'), call(url, SOLANA, 'getHealth')]);
  const time = performance.now() - startedAt;
  const stop = async () => {
    const exited = new Promise((done) => child.once('exit', done));
    end();
    await exited;
    process.removeListener('exit', end);
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, time, pid: child.pid, stop };
}

/** CPU time of the process, in milliseconds. */
function cpuTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1_000;
}

const resident = (pid) => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024;

/** The time from sending a transfer to its receipt. */
async function transfer(url, account, nonce) {
  const raw = await account.signTransaction({
    type: 'eip1559', chainId: EVM, nonce, to: account.address, value: 1n, gas: 21_000n,
    maxFeePerGas: 50_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n,
  });
  const startedAt = performance.now();
  const hash = await call(url, EVM, 'eth_sendRawTransaction', [raw]);
  while (!(await call(url, EVM, 'eth_getTransactionReceipt', [hash]))) await sleep(5);
  return performance.now() - startedAt;
}

const starts = [];
for (let round = 1; round < STARTS; round += 1) {
  const service = await start();
  starts.push(service.time);
  await service.stop();
}
const service = await start();
starts.push(service.time);
await sleep(SETTLE_MS);
const before = cpuTime(service.pid);
await sleep(IDLE_MS);
const share = ((cpuTime(service.pid) - before) / IDLE_MS) * 100;
const memory = resident(service.pid);
const account = mnemonicToAccount('test test test test test test test test test test test junk');
const transfers = [];
for (let nonce = 0; nonce < TRANSFERS; nonce += 1) transfers.push(await transfer(service.url, account, nonce));
const fills = await fillDelaysAt(service.url, FILLS);
await service.stop();

console.log(`| what | measured | target |
|---|---|---|
| start to ready, median of ${STARTS} | ${ms(median(starts))} (slowest ${ms(Math.max(...starts))}) | under 2 s |
| idle resident memory | ${memory.toFixed(1)} MB | under 250 MB |
| idle share of one core, over ${IDLE_MS / 1_000} s | ${share.toFixed(2)} % | under 2 % |
| a transfer until its receipt, median of ${TRANSFERS} | ${ms(median(transfers))} (slowest ${ms(Math.max(...transfers))}) | under 1 s |
| the block that makes a deposit final until its fill is sent, median of ${FILLS} | ${ms(median(fills))} (slowest ${ms(Math.max(...fills))}) | under 100 ms |`);
