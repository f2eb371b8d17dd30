import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeErrorResult, keccak256, numberToHex, parseAbi, parseEther } from 'viem';
import { CLASSES, DIFFERENCES, ERRORS } from './refusals.js';
import { GWEI, Pair, signUnchecked } from './pair.js';

const CHAIN = 747474;
const OTHER = '0x00000000000000000000000000000000000b0b00';
const UNFUNDED = '0x00000000000000000000000000000000000b0b99';
const CODE = '0x00000000000000000000000000000000000c0de4';
/** Reverts with its calldata. */
const ECHO = '0x365f5f37365ffd';
/** Loops until the gas is used up. */
const LOOP = '0x5b5f56';
const errors = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error Short(address who, uint256 by)']);
const error = (errorName, ...args) => encodeErrorResult({ abi: errors, errorName, args });
const REVERTS = {
  'a call that reverts without data': '0x',
  'a call that reverts with a string': error('Error', 'no'),
  'a call that reverts with a panic': error('Panic', 0x11n),
  'a call that reverts with a custom error': error('Short', OTHER, 7n),
  'an estimate of a call that reverts': error('Short', OTHER, 8n),
};

let pair;
let cases;
before(async () => {
  pair = await Pair.open(CHAIN);
  cases = await makeCases();
}, { timeout: 120_000 });
after(() => pair?.close());

/** Method and params of each case. */
async function makeCases() {
  const account = await pair.newAccount();
  const from = account.address;
  const defaults = { chainId: CHAIN, nonce: 1, to: OTHER, value: 1n, gas: 21_000n, maxFeePerGas: 5n * GWEI, maxPriorityFeePerGas: GWEI };
  const sign = (terms) => signUnchecked(account, { ...defaults, ...terms });
  const raw = async (terms) => ['eth_sendRawTransaction', [await sign(terms)]];
  const call = (terms, code, method = 'eth_call') => [method, [{ from, to: CODE, ...terms }, 'latest', ...(code ? [{ [CODE]: { code } }] : [])]];
  await pair.play(await sign({ nonce: 0 }));
  const waiting = await sign({ nonce: 7 });
  await pair.send(waiting);
  const { baseFeePerGas: [, next] } = await pair.sandbox.request('eth_feeHistory', '0x1', 'latest', []);
  // Below that of both: anvil's has no least and falls by an eighth at most.
  const low = BigInt(next) / 2n;
  const reverts = Object.entries(REVERTS).map(([name, data]) => [
    name, call({ data }, ECHO, name.startsWith('an estimate') ? 'eth_estimateGas' : 'eth_call'),
  ]);
  return {
    ...Object.fromEntries(reverts),
    'a used nonce': await raw({ nonce: 0, value: 2n }),
    'a value above the balance': await raw({ value: parseEther('1000') }),
    'gas below the intrinsic cost': await raw({ gas: 20_999n }),
    'a different chain id': await raw({ chainId: 1 }),
    'a tip above the fee': await raw({ maxPriorityFeePerGas: 6n * GWEI }),
    'more gas than the block limit': await raw({ gas: 30_000_001n }),
    'a replacement at the same price': await raw({ nonce: 7, value: 2n }),
    'the same transaction again': ['eth_sendRawTransaction', [waiting]],
    'too much initcode': await raw({ to: undefined, gas: 10_000_000n, data: `0x${'00'.repeat(49_153)}` }),
    'bytes that are not a transaction': ['eth_sendRawTransaction', ['0x02c0']],
    'a call that runs out of gas': call({ gas: '0x8000' }, LOOP),
    'a call that executes the invalid opcode': call({}, '0xfe'),
    'a call that executes an unknown opcode': call({}, '0x0c'),
    'a call with an invalid jump': call({}, '0x60ff56'),
    'a call that underflows the stack': call({}, '0x50'),
    'an estimate of an endless loop': call({ gas: '0x20000' }, LOOP, 'eth_estimateGas'),
    'a call that sends more than the balance': call({ from: UNFUNDED, value: '0x1' }),
    'a call with gas below the intrinsic cost': call({ gas: '0x1' }),
    'a call with a tip above the fee': call({ maxFeePerGas: numberToHex(5n * GWEI), maxPriorityFeePerGas: numberToHex(6n * GWEI) }),
    'a call at a future block': ['eth_call', [{ to: CODE }, '0xfffffff']],
    'a balance at a future block': ['eth_getBalance', [from, '0xfffffff']],
    'an address of one byte': ['eth_getBalance', ['0x12', 'latest']],
    'missing arguments': ['eth_getBalance', []],
    'an unknown method': ['eth_nothing', []],
    'logs of an unknown block': ['eth_getLogs', [{ blockHash: keccak256('0x') }]],
    'logs by hash and range': ['eth_getLogs', [{ blockHash: keccak256('0x'), fromBlock: '0x1' }]],
    'changes of an unknown filter': ['eth_getFilterChanges', ['0x123456789']],
    'a fee below the base fee': await raw({ nonce: 9, maxFeePerGas: low, maxPriorityFeePerGas: 0n }),
    'gas below the floor of its data': await raw({ nonce: 10, gas: 25_000n, data: `0x${'01'.repeat(200)}` }),
    'a call with a fee below the base fee': call({ maxFeePerGas: numberToHex(low) }),
  };
}

/** Asserts that a response has the class and code of the table. */
function assertResponse(node, name, answer, expected) {
  const context = `${node.name}, ${name}: ${JSON.stringify(answer)}`;
  if (expected === null) {
    assert.equal(answer.error, undefined, context);
    return;
  }
  const [kind, code] = expected;
  assert.ok(answer.error, context);
  assert.match(answer.error.message, CLASSES[kind], context);
  assert.equal(answer.error.code, code, context);
}

test('both reject the same requests for the same reason, with the codes of the table', { timeout: 120_000 }, async (t) => {
  for (const [name, [kind, ours, anvils]] of Object.entries(ERRORS)) {
    await t.test(name, async () => {
      const [method, params] = cases[name];
      const answers = await pair.both((node) => node.respond(method, params));
      assertResponse(pair.sandbox, name, answers[0], [kind, ours]);
      assertResponse(pair.anvil, name, answers[1], [kind, anvils]);
      if (name in REVERTS) {
        assert.deepEqual(answers.map((answer) => answer.error.data), [REVERTS[name], REVERTS[name]]);
      }
    });
  }
});

test('they differ only where the table says so', { timeout: 120_000 }, async (t) => {
  for (const [name, [ours, anvils]] of Object.entries(DIFFERENCES)) {
    await t.test(name, async () => {
      const [method, params] = cases[name];
      const answers = await pair.both((node) => node.respond(method, params));
      assertResponse(pair.sandbox, name, answers[0], ours);
      assertResponse(pair.anvil, name, answers[1], anvils);
    });
  }
});

test('every case is in a table', () => {
  assert.deepEqual(Object.keys(cases).sort(), [...Object.keys(ERRORS), ...Object.keys(DIFFERENCES)].sort());
});
