import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeErrorResult, keccak256, numberToHex, parseAbi, parseEther } from 'viem';
import { CLASSES, PARTINGS, REFUSALS } from './refusals.js';
import { GWEI, Pair, signBlindly } from './pair.js';

const CHAIN = 137;
const STRANGER = '0x00000000000000000000000000000000000b0b00';
const NOBODY = '0x00000000000000000000000000000000000b0b99';
const CODE = '0x00000000000000000000000000000000000c0de4';
/** Reverts with what it is called with. */
const ECHO = '0x365f5f37365ffd';
/** Goes round for as long as there is gas. */
const LOOP = '0x5b5f56';
const errors = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error Short(address who, uint256 by)']);
const error = (errorName, ...args) => encodeErrorResult({ abi: errors, errorName, args });
const REVERTS = {
  'a call that reverts without data': '0x',
  'a call that reverts with a string': error('Error', 'no'),
  'a call that reverts with a panic': error('Panic', 0x11n),
  'a call that reverts with an error of its own': error('Short', STRANGER, 7n),
  'an estimate of what reverts': error('Short', STRANGER, 8n),
};

let pair;
let cases;
before(async () => {
  pair = await Pair.open(CHAIN);
  cases = await makeCases();
}, { timeout: 60_000 });
after(() => pair?.close());

/** What is asked in each case, as method and params. */
async function makeCases() {
  const account = await pair.newcomer();
  const from = account.address;
  const usual = { chainId: CHAIN, nonce: 1, to: STRANGER, value: 1n, gas: 21_000n, maxFeePerGas: 5n * GWEI, maxPriorityFeePerGas: GWEI };
  const sign = (terms) => signBlindly(account, { ...usual, ...terms });
  const raw = async (terms) => ['eth_sendRawTransaction', [await sign(terms)]];
  const call = (terms, code, method = 'eth_call') => [method, [{ from, to: CODE, ...terms }, 'latest', ...(code ? [{ [CODE]: { code } }] : [])]];
  await pair.play(await sign({ nonce: 0 }));
  const waiting = await sign({ nonce: 7 });
  await pair.send(waiting);
  const { baseFeePerGas: [, next] } = await pair.sandbox.ask('eth_feeHistory', '0x1', 'latest', []);
  const low = BigInt(next) - 1n;
  const reverts = Object.entries(REVERTS).map(([name, data]) => [
    name, call({ data }, ECHO, name.startsWith('an estimate') ? 'eth_estimateGas' : 'eth_call'),
  ]);
  return {
    ...Object.fromEntries(reverts),
    'a used nonce': await raw({ nonce: 0, value: 2n }),
    'more than the balance': await raw({ value: parseEther('1000') }),
    'gas under the intrinsic cost': await raw({ gas: 20_999n }),
    'another chain': await raw({ chainId: 1 }),
    'a tip above the fee': await raw({ maxPriorityFeePerGas: 6n * GWEI }),
    'more gas than a block has': await raw({ gas: 30_000_001n }),
    'a replacement for the same price': await raw({ nonce: 7, value: 2n }),
    'the same transaction again': ['eth_sendRawTransaction', [waiting]],
    'too much initcode': await raw({ to: undefined, gas: 10_000_000n, data: `0x${'00'.repeat(49_153)}` }),
    'bytes that are no transaction': ['eth_sendRawTransaction', ['0x02c0']],
    'a call that runs out of gas': call({ gas: '0x8000' }, LOOP),
    'a call into the invalid opcode': call({}, '0xfe'),
    'a call into an unknown opcode': call({}, '0x0c'),
    'a call that jumps astray': call({}, '0x60ff56'),
    'a call that underflows the stack': call({}, '0x50'),
    'an estimate of what never ends': call({ gas: '0x20000' }, LOOP, 'eth_estimateGas'),
    'a call of more than the balance': call({ from: NOBODY, value: '0x1' }),
    'a call with less than the intrinsic gas': call({ gas: '0x1' }),
    'a call with a tip above the fee': call({ maxFeePerGas: numberToHex(5n * GWEI), maxPriorityFeePerGas: numberToHex(6n * GWEI) }),
    'a call at a block to come': ['eth_call', [{ to: CODE }, '0xfffffff']],
    'a balance at a block to come': ['eth_getBalance', [from, '0xfffffff']],
    'an address of one byte': ['eth_getBalance', ['0x12', 'latest']],
    'no arguments': ['eth_getBalance', []],
    'a method that is none': ['eth_nothing', []],
    'logs of an unknown block': ['eth_getLogs', [{ blockHash: keccak256('0x') }]],
    'logs by hash and range': ['eth_getLogs', [{ blockHash: keccak256('0x'), fromBlock: '0x1' }]],
    'changes of no filter': ['eth_getFilterChanges', ['0x123456789']],
    'a fee under the base fee': await raw({ nonce: 9, maxFeePerGas: low, maxPriorityFeePerGas: 0n }),
    'gas under the floor of its data': await raw({ nonce: 10, gas: 25_000n, data: `0x${'01'.repeat(200)}` }),
    'a call with a fee under the base fee': call({ maxFeePerGas: numberToHex(low) }),
  };
}

/** What an answer is, in the words of the table. */
function told(node, name, answer, wanted) {
  const context = `${node.name}, ${name}: ${JSON.stringify(answer)}`;
  if (wanted === null) {
    assert.equal(answer.error, undefined, context);
    return;
  }
  const [kind, code] = wanted;
  assert.ok(answer.error, context);
  assert.match(answer.error.message, CLASSES[kind], context);
  assert.equal(answer.error.code, code, context);
}

test('both refuse the same for the same reason, with the codes of the table', { timeout: 60_000 }, async (t) => {
  for (const [name, [kind, ours, anvils]] of Object.entries(REFUSALS)) {
    await t.test(name, async () => {
      const [method, params] = cases[name];
      const answers = await pair.both((node) => node.answer(method, params));
      told(pair.sandbox, name, answers[0], [kind, ours]);
      told(pair.anvil, name, answers[1], [kind, anvils]);
      if (name in REVERTS) {
        assert.deepEqual(answers.map((answer) => answer.error.data), [REVERTS[name], REVERTS[name]]);
      }
    });
  }
});

test('they part only where the table says so', { timeout: 60_000 }, async (t) => {
  for (const [name, [ours, anvils]] of Object.entries(PARTINGS)) {
    await t.test(name, async () => {
      const [method, params] = cases[name];
      const answers = await pair.both((node) => node.answer(method, params));
      told(pair.sandbox, name, answers[0], ours);
      told(pair.anvil, name, answers[1], anvils);
    });
  }
});

test('no case is left out of the tables', () => {
  assert.deepEqual(Object.keys(cases).sort(), [...Object.keys(REFUSALS), ...Object.keys(PARTINGS)].sort());
});
