// What a Solana wallet is asked to sign is held against the terms, byte by byte.
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

const [PAYER, ESCROW, STRANGER, SYSTEM] = [bytes(0xaa), bytes(0xe5), bytes(0xbb), bytes(0)];
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
/** With the account of a stranger, and a program that no deposit needs. */
const STRANGE = [...KEYS, STRANGER, TOKEN_ACCOUNTS];

const open = (changed = {}) => [1, [0, 0, 2, 3, 4], [4, ...packTerms({ ...terms, ...changed })]];
const price = (micro) => [5, [], [3, ...Buffer.from(BigUint64Array.of(micro).buffer)]];
const limit = (units) => [5, [], [2, ...Buffer.from(Uint32Array.of(units).buffer)]];

const judge = (transaction) => fromSigner(base58(PAYER), async (all) => all).checkTransaction(transaction, terms);
const judged = (instructions, options, keys = KEYS) => judge(transactionOf(keys, instructions, options));

describe('a transaction of Solana', () => {
  it('that deposits for the terms is signed', async () => {
    assert.equal(await judged([open()]), undefined);
    const beside = [limit(400_000), price(1_000n), open(), [6, [], Buffer.from('order')]];
    assert.equal(await judged(beside), undefined);
  });

  it('may name accounts instead of repeating them', async () => {
    // Words 3 and 4 are the escrow itself and the first account.
    const packed = packTerms(terms);
    const [before, after] = [packed.slice(0, packed.indexOf(0xe5) - 1), packed.slice(packed.lastIndexOf(0xaa, 90) + 1)];
    assert.equal(await judged([[1, [0, 0, 2, 3, 4], [4, ...before, 33, 64, ...after]]]), undefined);
  });

  for (const [name, value] of [['amountIn', '1001'], ['recipient', hex(bytes(6))], ['refundTo', hex(bytes(6))], ['refundAt', '1'], ['nonce', '0x0']]) {
    it(`with another ${name} is never signed`, async () => assert.match(await judged([open({ [name]: value })]), /other terms/));
  }

  const [program, accounts, data] = open();
  const others = [
    ['without a deposit', [], /opens 0 orders/],
    ['with two', [open(), open()], /opens 2 orders/],
    ['with a transfer of coins', [open(), [4, [0], [2, 0, 0, 0]]], /no deposit needs/],
    ['that makes an account', [open(), [8, [0, 2, 0], [1]]], /no deposit needs/],
    ['with a memo of an account', [open(), [6, [2], [1]]], /no deposit needs/],
    ['with an account of a stranger', [open()], /names the account 0xbbbb/],
    ['that asks the escrow for something else', [[program, accounts, [5, ...data.slice(1)]]], /no deposit needs/],
    ['with half of an order', [[program, accounts, data.slice(0, -1)]], /no whole order/],
    ['with more than an order', [[program, accounts, [...data, 0]]], /other terms/],
    ['for somebody else', [[program, [0, 7, 2, 3, 4], data]], /somebody else/],
    ['without an account', [[program, [0, 0, 2, 3], data]], /lacks an account/, KEYS],
    ['with accounts that are not there', [[program, accounts, [4, 99]]], /no whole order/],
    ['that pays a fortune to be taken sooner', [price(2n ** 64n - 1n), open()], /to be taken sooner/],
  ];
  for (const [name, instructions, says, keys = STRANGE] of others) {
    it(`${name} is never signed`, async () => assert.match(await judged(instructions, {}, keys), says));
  }

  it('that others sign or pay is never signed', async () => {
    assert.match(await judged([open()], { slots: 2 }), /the wallet alone/);
    assert.match(await judged([open()], { signers: 2 }), /the wallet alone/);
    assert.match(await judged([[1, [2, 2], data]], {}, [STRANGER, ESCROW, PAYER]), /the wallet alone/);
  });

  it('with a table is never signed', async () => assert.match(await judged([open()], { tables: [[...bytes(1), 1, 0, 0]] }), /a table/));

  it('that is none is never signed', async () => {
    const whole = transactionOf(KEYS, [open()]);
    for (const torn of [[], whole.subarray(0, -1), [...whole, 0], [...whole.subarray(0, 65), ...whole.subarray(66)], [255, 255, 255]]) {
      assert.match(await judge(Uint8Array.from(torn)), /no version 0 transaction/);
    }
  });

  it('is read or refused whatever it is', async () => {
    let seed = 1;
    const random = () => { seed = (seed * 48_271) % 2_147_483_647; return seed & 255; };
    for (let round = 0; round < 2_000; round += 1) assert.ok(await judge(Uint8Array.from({ length: round % 400 }, random)));
  });
});
