// The agent's tools with the stock client library of the Model Context Protocol, over standard streams and over HTTP.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { BINARY } from './causeway.js';
import { DOLLARS, newAddress, shared } from './swaps.js';

const causeway = shared();
const BASE = causeway.url;
const SWAP = '20 USDC@base USDC@arbitrum';
const TOKEN = 'a token that nobody guesses';

describe('an agent over MCP', { concurrency: false, timeout: 180_000 }, () => {
  const open = [];
  let folder;
  let payer;
  let args;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-agent-'));
    const key = generatePrivateKey();
    payer = await causeway.payer(8453, { USDC: 100n * DOLLARS }, privateKeyToAccount(key));
    await writeFile(join(folder, 'key'), key, { mode: 0o600 });
    await writeFile(join(folder, 'limits.toml'), '[[allow]]\nper_swap = "25 USDC@base"\nper_day = "45"\n');
    args = ['mcp', '--url', BASE, '--key-file', join(folder, 'key'), '--limits', join(folder, 'limits.toml')];
  });
  after(async () => {
    for (const client of open) await client.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts the server and connects a stock client; `answer` is what its user says when asked. */
  async function connect(parameters, answer) {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: answer ? { elicitation: {} } : {} });
    const questions = [];
    if (answer) {
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        questions.push(params.message);
        return answer;
      });
    }
    const transport = new StdioClientTransport({ command: BINARY, args: parameters, stderr: 'inherit' });
    await client.connect(transport);
    open.push(client);
    return { client, questions };
  }
  const journal = (name) => ['--journal', join(folder, name)];
  const call = (client, name, parameters) => client.callTool({ name, arguments: parameters }, undefined, { timeout: 120_000 });
  const problem = ({ isError, structuredContent }) => {
    assert.equal(isError, true, JSON.stringify(structuredContent));
    return structuredContent.error.message;
  };

  test('without a key it quotes and builds, and offers no swap', async () => {
    const { client } = await connect(['mcp', '--url', BASE]);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), ['balances', 'build', 'buy', 'chains', 'quote', 'tokens', 'track']);
    const { quote } = (await call(client, 'quote', { swap: SWAP, payer: payer.address })).structuredContent;
    const [route] = quote.routes;
    for (const within of [{ deposit_within: 3600 }, { depositWithin: 3600 }]) {
      const { routes } = (await call(client, 'quote', { swap: SWAP, payer: payer.address, ...within })).structuredContent.quote;
      assert.ok(routes.length > 0 && routes.every(({ quote: { openUntil, validBefore } }) => openUntil - validBefore === 3600), JSON.stringify(routes));
    }
    const parameters = { quote_id: quote.quoteId, route_id: route.routeId, payer: payer.address, deposit_method: 'CONTRACT_CALL' };
    const { deposit } = (await call(client, 'build', parameters)).structuredContent;
    assert.equal(deposit.kind, 'CONTRACT_CALL');
    const { tokens } = (await call(client, 'balances', { address: payer.address, chains: ['base'] })).structuredContent;
    assert.equal(tokens.find(({ symbol }) => symbol === 'USDC').extensions.balance, '100000000');
    const { order } = (await call(client, 'buy', { purchase: '50 EUR USDC@base', recipient: payer.address })).structuredContent;
    assert.equal((await call(client, 'track', { order_id: order.orderId })).structuredContent.purchase.orderId, order.orderId);
    assert.match(problem(await call(client, 'quote', { swap: '20 USDC@nowhere ETH@base' })), /no chain "nowhere"/);
  });

  test('within its limits it swaps, and beyond them it is refused', async () => {
    const { client } = await connect([...args, ...journal('limits'), '--confirm', 'limits']);
    assert.match(problem(await call(client, 'swap', { swap: '26 USDC@base USDC@arbitrum', at_least: '20' })), /above the limit of 25 USDC/);
    assert.match(problem(await call(client, 'swap', { swap: '1 ETH@base USDC@arbitrum', at_least: '20' })), /allow no ETH/);
    const stranger = { swap: SWAP, at_least: '15', recipient: newAddress() };
    assert.match(problem(await call(client, 'swap', stranger)), /neither the payer nor a recipient/);
    assert.match(problem(await call(client, 'swap', { swap: SWAP })), /needs `at_least`/);
    assert.match(problem(await call(client, 'swap', { swap: SWAP, at_least: '20.5' })), /route/);
    const { order } = (await call(client, 'swap', { swap: SWAP, at_least: '15' })).structuredContent;
    assert.equal(order.status, 'filled');
    assert.equal((await call(client, 'track', { order_id: order.id })).structuredContent.order.status, 'filled');
    assert.equal((await call(client, 'swap', { swap: SWAP, at_least: '15', deposit_within: 3600 })).structuredContent.order.status, 'filled');
    await client.close();
    // A new process remembers what was spent: 40 of 45.
    const { client: again } = await connect([...args, ...journal('limits'), '--confirm', 'limits']);
    assert.match(problem(await call(again, 'swap', { swap: SWAP, at_least: '15' })), /daily limit of 45 USDC on Base; 5 is left/);
    assert.equal(await causeway.balance(8453, await causeway.token(8453, 'USDC'), payer.address), 60n * DOLLARS);
  });

  test('a swap needs the yes of the user', async () => {
    const silent = await connect([...args, ...journal('silent')]);
    assert.match(problem(await call(silent.client, 'swap', { swap: SWAP, at_least: '15' })), /cannot ask its user/);
    const refusing = await connect([...args, ...journal('no')], { action: 'decline' });
    assert.match(problem(await call(refusing.client, 'swap', { swap: SWAP, at_least: '15' })), /declined/);
    const agreeing = await connect([...args, ...journal('yes')], { action: 'accept', content: { approve: true } });
    const { order } = (await call(agreeing.client, 'swap', { swap: SWAP, at_least: '15' })).structuredContent;
    assert.equal(order.status, 'filled');
    assert.match(agreeing.questions[0], /^Pay 20 USDC on Base from 0x\w{40} for at least 15 USDC on Arbitrum One to 0x/);
  });

  test('over HTTP it answers only to clients with the token', async () => {
    const server = spawn(BINARY, ['mcp', '--url', BASE, '--http', '127.0.0.1:0'], { env: { ...process.env, CAUSEWAY_MCP_TOKEN: TOKEN } });
    try {
      const url = await new Promise((found) => {
        let text = '';
        server.stderr.on('data', (part) => {
          text += part;
          const address = text.match(/http:\/\/\S+\/mcp/)?.[0];
          if (address) found(new URL(address));
        });
      });
      const client = new Client({ name: 'test', version: '1' });
      await assert.rejects(client.connect(new StreamableHTTPClientTransport(url)), /token|401/i);
      const headers = { authorization: `Bearer ${TOKEN}` };
      const known = new Client({ name: 'test', version: '1' });
      await known.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      const { chains } = (await call(known, 'chains', {})).structuredContent;
      assert.ok(chains.length >= 19);
      await known.close();
    } finally {
      server.kill('SIGTERM');
    }
  });
});
