// Prints what an agent sees of a swap within its limits and beyond them, through the stock client library of the protocol:
//   CAUSEWAY_BIN=../../target/debug/causeway ../../scripts/with-service node mcp-transcript.js
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { BINARY } from './causeway.js';
import { DOLLARS, shared } from './swaps.js';

const causeway = shared();
const LIMITS = '[[allow]]\nper_swap = "25 USDC@base"\nper_day = "45"\n';
const SWAP = { swap: '20 USDC@base USDC@arbitrum', at_least: '15' };

const folder = await mkdtemp(join(tmpdir(), 'causeway-agent-'));
const key = generatePrivateKey();
await causeway.payer(8453, { USDC: 100n * DOLLARS }, privateKeyToAccount(key));
await writeFile(join(folder, 'key'), key, { mode: 0o600 });
await writeFile(join(folder, 'limits.toml'), LIMITS);
const files = ['--key-file', join(folder, 'key'), '--limits', join(folder, 'limits.toml'), '--journal', join(folder, 'journal')];
const transport = new StdioClientTransport({ command: BINARY, args: ['mcp', '--url', causeway.url, ...files, '--confirm', 'limits'], stderr: 'inherit' });
const client = new Client({ name: 'transcript', version: '1' });
await client.connect(transport);

console.log(`limits.toml: ${LIMITS.trim().split('\n').join(' ')}`);
for (const parameters of [SWAP, { ...SWAP, swap: '26 USDC@base USDC@arbitrum' }, { swap: '1 ETH@base USDC@arbitrum', at_least: '15' }, SWAP, SWAP]) {
  console.log(`→ swap ${JSON.stringify(parameters)}`);
  const { isError, structuredContent } = await client.callTool({ name: 'swap', arguments: parameters }, undefined, { timeout: 120_000 });
  const { order, error } = structuredContent;
  const amount = (units, { symbol, decimals }) => `${Number(units) / 10 ** decimals} ${symbol}`;
  console.log(isError ? `← refused: ${error.message}` : `← ${order.status}: ${amount(order.srcAmount, order.fromTokenMeta)} for ${amount(order.destAmount, order.toTokenMeta)}`);
}
await client.close();
await rm(folder, { recursive: true, force: true });
