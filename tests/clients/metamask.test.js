import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { before, test } from 'node:test';
import Ajv from 'ajv';
import { createPublicClient, createWalletClient, decodeFunctionResult, defineChain, erc20Abi, http, multicall3Abi } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';

// Requests as MetaMask sends them to a node. Responses are validated against its OpenRPC document.
const spec = createRequire(import.meta.url)('@metamask/api-specs/dist/build/openrpc.json');
const requests = JSON.parse(await readFile(new URL('./metamask.json', import.meta.url)));
const CHAIN = 56;
const URL_OF_NODE = `${process.env.CAUSEWAY_URL ?? 'http://127.0.0.1:8080'}/sandbox/rpc/${CHAIN}`;
const USDC = '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d';
const OTHER = '0x00000000000000000000000000000000000b0b00';
/** Fields since Prague that are missing in the document. */
const NEWER = ['requestsHash', 'blockTimestamp'];
/** Values of this run that requests reference as {{name}}. */
const values = {};

// An array of hashes matches two of the three alternatives, an empty array all of them, so `oneOf` must be `anyOf`.
const { FilterResults } = spec.components.schemas;
spec.components.schemas.FilterResults = { anyOf: FilterResults.oneOf };
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'spec', components: spec.components });

/** Compiles the schema of a method's result. */
function schema(method) {
  const { result } = spec.methods.find(({ name }) => name === method);
  return ajv.compile(JSON.parse(JSON.stringify(result.schema).replaceAll('"#/components', '"spec#/components')));
}

function withoutNewer(value) {
  if (Array.isArray(value)) return value.map(withoutNewer);
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([name]) => !NEWER.includes(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNewer(inner)]));
}

const fill = (value) => JSON.parse(JSON.stringify(value).replace(/\{\{(\w+)\}\}/g, (_, name) => {
  assert.ok(values[name], `${name} has no value yet`);
  return values[name];
}));

async function post(body) {
  const response = await fetch(URL_OF_NODE, {
    method: 'POST', body: JSON.stringify(body), signal: AbortSignal.timeout(60_000),
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  });
  assert.equal(response.status, 200);
  return response.json();
}

before(async () => {
  const chain = defineChain({
    id: CHAIN, name: 'sandbox', nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    rpcUrls: { default: { http: [URL_OF_NODE] } },
  });
  const account = mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex: 6 });
  const options = { chain, transport: http(URL_OF_NODE), pollingInterval: 100 };
  const [read, write] = [createPublicClient(options), createWalletClient({ ...options, account })];
  const hash = await write.writeContract({ address: USDC, abi: erc20Abi, functionName: 'transfer', args: [OTHER, 1n] });
  const receipt = await read.waitForTransactionReceipt({ hash });
  assert.equal(receipt.status, 'success');
  const next = await write.prepareTransactionRequest({ to: OTHER, value: 1n });
  Object.assign(values, {
    transactionHash: hash, blockHash: receipt.blockHash, blockNumber: `0x${receipt.blockNumber.toString(16)}`,
    rawTransaction: await write.signTransaction(next),
  });
}, { timeout: 120_000 });

for (const { name, request, expect = {} } of requests) {
  test(`${request.method}: ${name}`, { timeout: 90_000 }, async () => {
    const answer = await post(fill(request));
    assert.deepEqual([answer.jsonrpc, answer.id], ['2.0', request.id]);
    if (expect.error) {
      assert.equal(answer.error.code, expect.error);
      assert.ok(answer.error.message);
      return;
    }
    assert.equal(answer.error, undefined, answer.error?.message);
    const validate = schema(request.method);
    assert.ok(validate(withoutNewer(answer.result)), `${ajv.errorsText(validate.errors)}: ${JSON.stringify(answer.result)}`);
    if ('result' in expect) assert.deepEqual(answer.result, expect.result);
    if (expect.nonNull) assert.notEqual(answer.result, null);
    if (expect.nonEmpty) assert.ok(answer.result.length > 0, 'the result is empty');
    if (expect.keep) values[expect.keep] = answer.result;
  });
}

test('every node method that MetaMask documents is covered', () => {
  const isNodes = ({ tags = [] }) => tags.some((tag) => tag.name === 'Ethereum API' || tag.$ref?.endsWith('/Ethereum'));
  const documented = spec.methods.filter(isNodes).map(({ name }) => name);
  assert.ok(documented.length > 30);
  const covered = new Set(requests.map(({ request }) => request.method));
  assert.deepEqual(documented.filter((method) => !covered.has(method)), []);
});

test('a multicall returns the same balances as single calls', async () => {
  const send = async (wanted) => (await post(fill(requests.find(({ name }) => name === wanted).request))).result;
  const result = await send('balances by multicall');
  const [usdc, coins] = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: result });
  assert.deepEqual([usdc.success, coins.success], [true, true]);
  assert.ok(BigInt(usdc.returnData) > 0n);
  assert.equal(usdc.returnData, await send("a token balance with a block tag"));
  assert.equal(BigInt(coins.returnData), BigInt(await send("the native balance of the account")));
});

test('a batch returns the same results as single requests', async () => {
  const single = requests.filter(({ expect = {} }) => 'result' in expect && !('keep' in expect)).map(({ request }) => fill(request));
  const reads = single.filter(({ method }) => !method.startsWith('eth_uninstall'));
  const answers = await post(reads);
  assert.deepEqual(answers.map(({ id }) => id), reads.map(({ id }) => id));
  for (const answer of answers) {
    assert.deepEqual(answer.result, requests.find(({ request }) => request.id === answer.id).expect.result);
  }
});
