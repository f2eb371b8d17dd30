// Deposit transactions for Solana wallets are checked against the terms, byte by byte.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromSigner } from '@causeway/sdk/solana';
import { accountsOf, base58, packTerms, transactionOf } from '../solana.js';

const bytes = (fill) => Buffer.alloc(32, fill);
const hex = (key) => `0x${key.toString('hex')}`;
const decode = (text) => {
  let number = 0n;
  for (const letter of text) number = number * 58n + BigInt('123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'.indexOf(letter));
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
};

const [PAYER, ESCROW, OTHER, SYSTEM] = [bytes(0xaa), bytes(0xe5), bytes(0xbb), bytes(0)];
const BUDGET = decode('ComputeBudget111111111111111111111111111111');
const MEMO = decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const TOKEN_ACCOUNTS = decode('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

const terms = {
  version: '2', originChainId: '20011000000', escrow: hex(ESCROW), user: hex(PAYER), nonce: hex(bytes(9)), inputToken: hex(SYSTEM),
  amountIn: '1000', refundTo: hex(PAYER), filler: hex(bytes(1)), payee: hex(bytes(2)), referrer: hex(SYSTEM), referrerFee: '0',
  destinationChainId: '8453', settler: hex(bytes(3)), outputToken: hex(SYSTEM), amountOut: '300', recipient: hex(bytes(4)),
  openDeadline: '1794744600', fillDeadline: '1794745500', refundAt: '1794767100', epoch: '1',
};
const { order: ORDER, config: CONFIG } = await accountsOf(terms);
const KEYS = [PAYER, ESCROW, ORDER, CONFIG, SYSTEM, BUDGET, MEMO];
/** With an unrelated account and a program that a deposit does not need. */
const UNEXPECTED = [...KEYS, OTHER, TOKEN_ACCOUNTS];

const open = (changes = {}) => [1, [0, 0, 2, 3, 4], [4, ...packTerms({ ...terms, ...changes })]];
const price = (micro) => [5, [], [3, ...Buffer.from(BigUint64Array.of(micro).buffer)]];
const limit = (units) => [5, [], [2, ...Buffer.from(Uint32Array.of(units).buffer)]];

const check = (transaction) => fromSigner(base58(PAYER), async (all) => all).checkTransaction(transaction, terms);
const checkInstructions = (instructions, options, keys = KEYS) => check(transactionOf(keys, instructions, options));

describe('a Solana transaction', () => {
  it('that deposits for the terms is signed', async () => {
    assert.equal(await checkInstructions([open()]), undefined);
    const withOthers = [limit(400_000), price(1_000n), open(), [6, [], Buffer.from('order')]];
    assert.equal(await checkInstructions(withOthers), undefined);
  });

  it('may reference accounts in packed terms', async () => {
    // Terms 3 and 4 are the escrow itself and the first account.
    const packed = packTerms(terms);
    const [before, after] = [packed.slice(0, packed.indexOf(0xe5) - 1), packed.slice(packed.lastIndexOf(0xaa, 90) + 1)];
    assert.equal(await checkInstructions([[1, [0, 0, 2, 3, 4], [4, ...before, 33, 64, ...after]]]), undefined);
  });

  for (const [name, value] of [['amountIn', '1001'], ['recipient', hex(bytes(6))], ['refundTo', hex(bytes(6))], ['refundAt', '1'], ['nonce', '0x0']]) {
    it(`with a different ${name} is rejected`, async () => assert.match(await checkInstructions([open({ [name]: value })]), /different terms/));
  }

  const [program, accounts, data] = open();
  const rejected = [
    ['without a deposit', [], /opens 0 orders/],
    ['with two deposits', [open(), open()], /opens 2 orders/],
    ['with a transfer of SOL', [open(), [4, [0], [2, 0, 0, 0]]], /a deposit does not need/],
    ['that creates a token account', [open(), [8, [0, 2, 0], [1]]], /a deposit does not need/],
    ['with a memo that references an account', [open(), [6, [2], [1]]], /a deposit does not need/],
    ['with an unrelated account', [open()], /references the account 0xbbbb/],
    ['with a different escrow instruction', [[program, accounts, [5, ...data.slice(1)]]], /a deposit does not need/],
    ['with a truncated order', [[program, accounts, data.slice(0, -1)]], /complete order/],
    ['with trailing bytes', [[program, accounts, [...data, 0]]], /different terms/],
    ['for another payer', [[program, [0, 7, 2, 3, 4], data]], /another payer/],
    ['with a missing account', [[program, [0, 0, 2, 3], data]], /is missing an account/, KEYS],
    ['with account indices out of range', [[program, accounts, [4, 99]]], /complete order/],
    ['with an excessive priority fee', [price(2n ** 64n - 1n), open()], /a priority fee of/],
  ];
  for (const [name, instructions, message, keys = UNEXPECTED] of rejected) {
    it(`${name} is rejected`, async () => assert.match(await checkInstructions(instructions, {}, keys), message));
  }

  it('with another signer or payer is rejected', async () => {
    assert.match(await checkInstructions([open()], { slots: 2 }), /the wallet alone/);
    assert.match(await checkInstructions([open()], { signers: 2 }), /the wallet alone/);
    assert.match(await checkInstructions([[1, [2, 2], data]], {}, [OTHER, ESCROW, PAYER]), /the wallet alone/);
  });

  it('with an address lookup table is rejected', async () => assert.match(await checkInstructions([open()], { tables: [[...bytes(1), 1, 0, 0]] }), /lookup table/));

  it('that is malformed is rejected', async () => {
    const whole = transactionOf(KEYS, [open()]);
    for (const malformed of [[], whole.subarray(0, -1), [...whole, 0], [...whole.subarray(0, 65), ...whole.subarray(66)], [255, 255, 255]]) {
      assert.match(await check(Uint8Array.from(malformed)), /not a version 0 Solana transaction/);
    }
  });

  it('of random bytes is rejected without an exception', async () => {
    let seed = 1;
    const random = () => { seed = (seed * 48_271) % 2_147_483_647; return seed & 255; };
    for (let round = 0; round < 2_000; round += 1) assert.ok(await check(Uint8Array.from({ length: round % 400 }, random)));
  });
});
