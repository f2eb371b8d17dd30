import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const TARGET = resolve(fileURLToPath(new URL('../../../..', import.meta.url)), process.env.CARGO_TARGET_DIR ?? 'target');
const BINARY = process.env.CAUSEWAY_BIN ?? join(TARGET, 'debug/causeway');
/** Built with the binary, by every build of the tests. */
const STAND_INS = [dirname(BINARY), join(TARGET, 'debug')].map((folder) => join(folder, 'examples/liquidity_standins')).find((file) => existsSync(file));
if (!STAND_INS) throw new Error('the stand-ins are not built: cargo build -p causeway-fillers --example liquidity_standins');
/** Chains that no test here uses. */
const OTHERS = [10, 56, 130, 137, 143, 324, 2741, 5000, 16661, 43114, 59144, 80094, 747474, 5734951];

/** Starts a program and resolves with the first part of its output that matches, and the whole output. */
function start(program, args, pattern) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = () => new Promise((done) => {
    process.removeListener('exit', kill);
    child.once('exit', done);
    child.kill('SIGTERM');
  });
  return new Promise((found, failed) => {
    let [stdout, stderr] = ['', ''];
    child.once('error', failed);
    child.once('exit', (code) => failed(new Error(`${program} ended with ${code}: ${stderr}`)));
    child.stderr.on('data', (text) => { stderr = (stderr + text).slice(-10_000); });
    child.stdout.on('data', (text) => {
      stdout += text;
      const [url] = stdout.match(pattern) ?? [];
      if (url) found({ url: url.match(/http:\S+/)[0], stdout, stop });
    });
  });
}

async function call(url, body) {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${text}`);
  return text;
}

/** Stand-ins of liquidity providers, and a sandbox whose service asks them. */
async function startWithProviders() {
  const standIns = await start(STAND_INS, [], /^# http:\S+$/m);
  const folder = await mkdtemp(join(tmpdir(), 'causeway-providers-'));
  const config = join(folder, 'causeway.toml');
  const few = OTHERS.map((id) => `[[chains]]\nid = ${id}\nenabled = false\n`).join('');
  await writeFile(config, standIns.stdout + few);
  const service = await start(BINARY, ['--config', config, '--data-dir', join(folder, 'data'), '--listen', '127.0.0.1:0'], /http:\/\/127\.0\.0\.1:\d+/);
  await call(`${standIns.url}/connect`, service.url);
  return {
    url: service.url,
    contracts: JSON.parse(await call(`${standIns.url}/contracts`)),
    misbehave: (provider, word) => call(`${standIns.url}/misbehave/${provider}`, word),
    /** Pays an address of Bitcoin or Tron. */
    pay: (address, amount) => call(`${standIns.url}/pay/${address}`, String(amount)),
    stop: async () => {
      await service.stop();
      await standIns.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const providers = await startWithProviders();
after(() => providers.stop());

/** Pages and wallets of that service. */
process.env.CAUSEWAY_URL = providers.url;
export const browser = await import('./browser.js');
export const wallets = await import('./wallets.js');

const { lifi, relay, zerox, jupiter } = providers.contracts;
/** Puts the providers' contracts on the sandbox's chains. */
async function deploy() {
  const { eventually, newPayer, post } = wallets;
  const deployer = await newPayer(lifi.chainId);
  for (const { deployer: to, data } of [lifi, relay, zerox]) {
    const txHash = await deployer.provider.request({ method: 'eth_sendTransaction', params: [{ from: deployer.address, to, data }] });
    await eventually(() => deployer.provider.request({ method: 'eth_getTransactionReceipt', params: [txHash] }), (receipt) => receipt, 'the deployment');
  }
  const control = `/sandbox/control/${jupiter.chainId}`;
  await post(control, { action: 'program', address: jupiter.address, code: 'exchange' });
  await post(control, { action: 'mine', blocks: 4 });
  for (const token of ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB']) await post('/sandbox/faucet', { chainId: jupiter.chainId, address: jupiter.authority, token });
}
await deploy();

export const TRUST = {
  lifi: { [lifi.chainId]: [{ contract: lifi.address, unchecked: ['output'] }] },
  relay: { [relay.chainId]: [{ contract: relay.address, unchecked: ['recipient', 'output'] }] },
  zerox: { [zerox.chainId]: [zerox.address] },
  oneclick: 'any-address',
  jupiter: { [jupiter.chainId]: [jupiter.address] },
};

/** Opens a page whose host trusts these providers, also after a reload. */
export const trusting = (use, { trust = TRUST, prepare, ...options } = {}) => browser.visit('/', use, {
  ...options,
  prepare: async (page) => {
    await page.addInitScript((trusted) => addEventListener('DOMContentLoaded', () => { document.querySelector('causeway-widget').trustedProviders = trusted; }), trust);
    await prepare?.(page);
  },
});
