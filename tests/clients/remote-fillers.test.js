import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isAddressEqual, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { BINARY, startSeparately } from './causeway.js';
import { Causeway, DOLLARS, eventually } from './swaps.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/filler-typescript/filler.js', import.meta.url));
const SECRET = 'correct horse battery staple';
/** The tenth account of the test mnemonic. */
const FILLER = mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex: 9 });

const causeway = new Causeway();
let [separate, example, url] = [];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  separate = await startSeparately(`[[fillers]]\nname = "example"\nkind = "remote"\nurl = "${url}"\nsecret = "${SECRET}"\n`);
  Object.assign(causeway, { url: separate.service.url, chains: separate.chains });
  const env = {
    ...process.env, CAUSEWAY_URL: causeway.url, FILLER_LISTEN: `127.0.0.1:${port}`, FILLER_SECRET: SECRET, FILLER_SPREAD: '1',
    FILLER_KEY: toHex(FILLER.getHdKey().privateKey),
  };
  example = spawn(process.execPath, [EXAMPLE], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => example.kill('SIGKILL'));
  await Promise.race([
    once(example.stdout, 'data'),
    once(example, 'exit').then(([code]) => { throw new Error(`the example exited with ${code}; run npm --prefix examples/filler-typescript ci`); }),
  ]);
}, { timeout: 120_000 });

after(async () => {
  example?.kill('SIGKILL');
  await separate?.stop();
});

test('the TypeScript example passes the filler check', { timeout: 120_000 }, async () => {
  const env = { ...process.env, CAUSEWAY_FILLER_SECRET: SECRET };
  const { stdout } = await promisify(execFile)(BINARY, ['filler', 'check', url], { env }).catch(({ stdout }) => assert.fail(stdout));
  assert.match(stdout, /All \d+ rules are kept/);
});

test('the TypeScript example wins a quote, fills the order and claims', { timeout: 180_000 }, async () => {
  const payer = await causeway.payer(8453, { USDC: 1_000n * DOLLARS });
  const request = [payer, [8453, 'USDC'], [42161, 'USDC'], 100n * DOLLARS];
  // It was not running when the service started.
  const wins = ({ routes }) => routes[0]?.filler === 'example' && routes.length > 1;
  await eventually(() => causeway.quote(...request), wins, 'the best offer among several');
  const usdc = await causeway.token(8453, 'USDC');
  const before = await causeway.balance(8453, usdc, FILLER.address);
  const taken = await causeway.quoteAndBuild(...request);
  assert.equal(taken.filler, 'example');
  const order = await causeway.until(await causeway.pay(taken), 'filled');
  const fill = await causeway.read(42161).getTransaction({ hash: order.transactions.fill.txHash });
  assert.ok(isAddressEqual(fill.from, FILLER.address));
  await causeway.intent(order.intentId, 'Settled');
  assert.equal((await causeway.balance(8453, usdc, FILLER.address)) - before, 100n * DOLLARS);
  const attested = await causeway.get(`/v1/intent/${order.intentId}/attestations`);
  assert.deepEqual([attested.outcome, attested.signatures.length], ['filled', 2]);
});
