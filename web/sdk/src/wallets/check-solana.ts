import { digits, TERMS } from '../execute/terms.js';
import { word } from '../execute/words.js';
import type { Terms } from '../generated/types.js';
import { orderId } from '../transfer/order-id.js';
import { programAddress, textSeed } from '../transfer/program-address.js';
import { hex, readTransaction, type Instruction } from './solana-message.js';

const COMPUTE_BUDGET = word('ComputeBudget111111111111111111111111111111');
const MEMO = word('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const ASSOCIATED_TOKEN = word('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')!;
/** The programs that tokens belong to. */
const TOKEN_PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'].map(word);
const SYSTEM = `0x${'0'.repeat(64)}`;

/** The escrow's instruction that takes the user's deposit. */
const OPEN = 4;
/** In packed terms: the escrow's own address; and from where on it is the number of an account. */
const OWN_ADDRESS = 33;
const ACCOUNT = 64;
/** What a transaction may pay to be taken sooner: a hundredth of a SOL. */
const MOST_TIP = 10_000_000n;
/** The compute units that a transaction can have at most. */
const MOST_UNITS = 1_400_000n;

/**
 * Holds a transaction against the terms that it should deposit for, and says what differs: the wallet alone signs and pays, only programs
 * that a deposit needs are called, the escrow takes exactly these terms, and no account is there that they do not give.
 */
export async function checkTransaction(address: string, terms: Terms, bytes: Uint8Array): Promise<string | undefined> {
  const transaction = readTransaction(bytes);
  if (!transaction) return 'The deposit\'s transaction is no version 0 transaction of Solana.';
  const payer = word(address);
  const { slots, signers, keys, tables, instructions } = transaction;
  if (slots !== 1 || signers !== 1 || !payer || keys[0] !== payer) return 'The deposit\'s transaction is not signed and paid by the wallet alone.';
  if (tables > 0) return 'The deposit\'s transaction takes addresses from a table, where they cannot be checked.';
  const opens = instructions.filter(({ program }) => program === terms.escrow.toLowerCase());
  if (opens.length !== 1) return `The deposit's transaction opens ${opens.length} orders and not one.`;
  const strange = instructions.find((instruction) => instruction !== opens[0] && !isHarmless(instruction));
  if (strange) return `The deposit's transaction asks the program ${strange.program} for something that no deposit needs.`;
  const tip = tipOf(instructions);
  if (tip > MOST_TIP) return `The deposit's transaction pays ${tip} lamports to be taken sooner, more than ${MOST_TIP}.`;
  return checkOpen(opens[0]!, terms, payer) ?? await checkAccounts(keys, opens[0]!, terms, payer);
}

/** What stands beside a deposit; it touches no account. */
function isHarmless({ program, accounts }: Instruction): boolean {
  return accounts.length === 0 && (program === COMPUTE_BUDGET || program === MEMO);
}

/**
 * The escrow gets exactly the accounts that the terms give, in their order, and the transaction names no other: a program can do with
 * each of them whatever it likes.
 */
async function checkAccounts(keys: string[], { accounts }: Instruction, terms: Terms, payer: string): Promise<string | undefined> {
  const [id, escrow, mint] = [orderId(terms), terms.escrow.slice(2).toLowerCase(), terms.inputToken.toLowerCase()];
  const derived = async (seeds: string[], program = escrow) => `0x${await programAddress(seeds, program)}`;
  const expected = [payer, payer, await derived([textSeed('order'), id]), await derived([textSeed('config')]), SYSTEM];
  if (mint !== SYSTEM) {
    const tokens = accounts[8];
    if (!tokens || !TOKEN_PROGRAMS.includes(tokens)) return 'The deposit\'s transaction takes tokens by another program than theirs.';
    const source = await derived([payer, tokens, mint].map((key) => key.slice(2)), ASSOCIATED_TOKEN.slice(2));
    expected.push(await derived([textSeed('vault'), id]), source, mint, tokens);
  } else if (terms.referrer.toLowerCase() !== SYSTEM) {
    expected.push(terms.referrer.toLowerCase());
  }
  const strange = accounts.findIndex((account, at) => account !== expected[at]);
  if (strange >= 0) return `The deposit's transaction names the account ${accounts[strange]}, which no deposit needs.`;
  if (accounts.length < expected.length) return 'The deposit\'s transaction lacks an account.';
  const known = [...expected, terms.escrow.toLowerCase(), COMPUTE_BUDGET, MEMO];
  const other = keys.find((key) => !known.includes(key));
  return other && `The deposit's transaction names the account ${other}, which no deposit needs.`;
}

function tipOf(instructions: Instruction[]): bigint {
  let [units, price] = [MOST_UNITS, 0n];
  for (const { program, data } of instructions) {
    if (program !== COMPUTE_BUDGET) continue;
    const value = data.slice(1).reduceRight((number, byte) => number * 256n + BigInt(byte), 0n);
    if (data[0] === 2) units = value;
    if (data[0] === 3) price = value;
  }
  return (price * units) / 1_000_000n;
}

function checkOpen({ program, accounts, data }: Instruction, terms: Terms, payer: string): string | undefined {
  if (data[0] !== OPEN) return `The deposit's transaction asks the program ${program} for something that no deposit needs.`;
  if (accounts[0] !== payer || accounts[1] !== payer) return 'The deposit\'s transaction opens an order for somebody else.';
  const written: string[] = [];
  for (let at = 1; at < data.length;) {
    const length = data[at]!;
    at += 1;
    const given = length <= 32 && at + length <= data.length ? hex(data.subarray(at, at + length)) : undefined;
    const found = length <= 32 ? given : length === OWN_ADDRESS ? program : accounts[length - ACCOUNT];
    if (!found) return 'The deposit\'s transaction carries no whole order.';
    if (length <= 32) at += length;
    written.push(found);
  }
  const agreed = TERMS.map(({ name }) => `0x${digits(terms[name])}`);
  return written.join() === agreed.join() ? undefined : 'The deposit\'s transaction opens an order with other terms.';
}
