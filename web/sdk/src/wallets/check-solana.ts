import { toBytes32 } from '../execute/bytes32.js';
import { encodeWord, TERMS } from '../execute/terms.js';
import type { Terms } from '../generated/types.js';
import { orderId } from '../transfer/order-id.js';
import { programAddress, textSeed } from '../transfer/program-address.js';
import { hex, readTransaction, type Instruction } from './solana-message.js';

export const COMPUTE_BUDGET = toBytes32('ComputeBudget111111111111111111111111111111');
const MEMO = toBytes32('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
export const ASSOCIATED_TOKEN = toBytes32('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')!;
/** The token programs. */
export const TOKEN_PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'].map(toBytes32);
const SYSTEM = `0x${'0'.repeat(64)}`;

/** The escrow instruction that takes a deposit. */
const OPEN = 4;
/** In packed terms: the escrow's own address. */
const OWN_ADDRESS = 33;
/** In packed terms: from here on, the number of an account. */
const ACCOUNT = 64;
/** Maximum priority fee, in lamports: 0.01 SOL. */
const MAX_PRIORITY_FEE = 10_000_000n;
/** Maximum compute units of a transaction. */
const MAX_COMPUTE_UNITS = 1_400_000n;

/**
 * Checks a transaction against the terms: only the wallet signs and pays, only programs that a deposit needs are called, and the escrow
 * gets exactly these terms, with exactly the accounts that they give. Returns the problem, if there is one.
 */
export async function checkTransaction(address: string, terms: Terms, bytes: Uint8Array): Promise<string | undefined> {
  const transaction = readTransaction(bytes);
  if (!transaction) return 'The deposit transaction is not a version 0 Solana transaction.';
  const payer = toBytes32(address);
  const { slots, signers, keys, tables, instructions } = transaction;
  if (slots !== 1 || signers !== 1 || !payer || keys[0] !== payer) return 'The deposit transaction is not signed and paid by the wallet alone.';
  if (tables > 0) return 'The deposit transaction uses an address lookup table, which cannot be verified.';
  const opens = instructions.filter(({ program }) => program === terms.escrow.toLowerCase());
  if (opens.length !== 1) return `The deposit transaction opens ${opens.length} orders, expected one.`;
  const unexpected = instructions.find((instruction) => instruction !== opens[0] && !isHarmless(instruction));
  if (unexpected) return unexpectedInstruction(unexpected.program);
  return checkFee(instructions) ?? checkOpen(opens[0]!, terms, payer) ?? await checkAccounts(keys, opens[0]!, terms, payer);
}

const unexpectedInstruction = (program: string): string =>
  `The deposit transaction has an instruction of the program ${program} that a deposit does not need.`;

const unexpectedAccount = (account: string | undefined): string =>
  `The deposit transaction references the account ${account}, which a deposit does not need.`;

/** Compute budget and memo instructions, which access no account. */
function isHarmless({ program, accounts }: Instruction): boolean {
  return accounts.length === 0 && (program === COMPUTE_BUDGET || program === MEMO);
}

/**
 * Checks that the escrow gets exactly the accounts that the terms give, in their order, and that the transaction references no other:
 * a program can use each of them in any way.
 */
async function checkAccounts(keys: string[], { accounts }: Instruction, terms: Terms, payer: string): Promise<string | undefined> {
  const [id, escrow, mint] = [orderId(terms), terms.escrow.slice(2).toLowerCase(), terms.inputToken.toLowerCase()];
  const derived = async (seeds: string[], program = escrow) => `0x${await programAddress(seeds, program)}`;
  const expected = [payer, payer, await derived([textSeed('order'), id]), await derived([textSeed('config')]), SYSTEM];
  if (mint !== SYSTEM) {
    const tokens = accounts[8];
    if (!tokens || !TOKEN_PROGRAMS.includes(tokens)) return 'The deposit transaction does not use a known token program.';
    const source = await derived([payer, tokens, mint].map((key) => key.slice(2)), ASSOCIATED_TOKEN.slice(2));
    expected.push(await derived([textSeed('vault'), id]), source, mint, tokens);
  } else if (terms.referrer.toLowerCase() !== SYSTEM) {
    expected.push(terms.referrer.toLowerCase());
  }
  const unexpected = accounts.findIndex((account, index) => account !== expected[index]);
  if (unexpected >= 0) return unexpectedAccount(accounts[unexpected]);
  if (accounts.length < expected.length) return 'The deposit transaction is missing an account.';
  const known = [...expected, terms.escrow.toLowerCase(), COMPUTE_BUDGET, MEMO];
  const other = keys.find((key) => !known.includes(key));
  return other && unexpectedAccount(other);
}

/** Checks that the priority fee is within its bound. */
export function checkFee(instructions: Instruction[]): string | undefined {
  const fee = priorityFee(instructions);
  return fee > MAX_PRIORITY_FEE ? `The deposit transaction pays a priority fee of ${fee} lamports, more than ${MAX_PRIORITY_FEE}.` : undefined;
}

/** The priority fee in lamports, rounded down. */
export function priorityFee(instructions: Instruction[]): bigint {
  let [units, price] = [MAX_COMPUTE_UNITS, 0n];
  for (const { program, data } of instructions) {
    if (program !== COMPUTE_BUDGET) continue;
    const value = data.slice(1).reduceRight((number, byte) => number * 256n + BigInt(byte), 0n);
    if (data[0] === 2) units = value;
    if (data[0] === 3) price = value;
  }
  return (price * units) / 1_000_000n;
}

function checkOpen({ program, accounts, data }: Instruction, terms: Terms, payer: string): string | undefined {
  if (data[0] !== OPEN) return unexpectedInstruction(program);
  if (accounts[0] !== payer || accounts[1] !== payer) return 'The deposit transaction opens an order for another payer.';
  const words: string[] = [];
  for (let at = 1; at < data.length;) {
    const length = data[at]!;
    at += 1;
    const inline = length <= 32 && at + length <= data.length ? hex(data.subarray(at, at + length)) : undefined;
    const value = length <= 32 ? inline : length === OWN_ADDRESS ? program : accounts[length - ACCOUNT];
    if (!value) return 'The deposit transaction does not contain a complete order.';
    if (length <= 32) at += length;
    words.push(value);
  }
  const expected = TERMS.map(({ name }) => `0x${encodeWord(terms[name])}`);
  return words.join() === expected.join() ? undefined : 'The deposit transaction opens an order with different terms.';
}
