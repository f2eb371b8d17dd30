import { digits, TERMS } from '../execute/terms.js';
import { word } from '../execute/words.js';
import type { Terms } from '../generated/types.js';
import { hex, readTransaction, type Instruction } from './solana-message.js';

const COMPUTE_BUDGET = word('ComputeBudget111111111111111111111111111111');
const MEMO = word('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const ASSOCIATED_TOKEN = word('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

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
 * that a deposit needs are called, and the escrow takes exactly these terms.
 */
export function checkTransaction(address: string, terms: Terms, bytes: Uint8Array): string | undefined {
  const transaction = readTransaction(bytes);
  if (!transaction) return 'The deposit\'s transaction is no version 0 transaction of Solana.';
  const payer = word(address);
  const { slots, signers, keys, tables, instructions } = transaction;
  if (slots !== 1 || signers !== 1 || !payer || keys[0] !== payer) return 'The deposit\'s transaction is not signed and paid by the wallet alone.';
  if (tables > 0) return 'The deposit\'s transaction takes addresses from a table, where they cannot be checked.';
  const opens = instructions.filter(({ program }) => program === terms.escrow.toLowerCase());
  if (opens.length !== 1) return `The deposit's transaction opens ${opens.length} orders and not one.`;
  const strange = instructions.find((instruction) => instruction !== opens[0] && !isHarmless(instruction, payer));
  if (strange) return `The deposit's transaction asks the program ${strange.program} for something that no deposit needs.`;
  const tip = tipOf(instructions);
  if (tip > MOST_TIP) return `The deposit's transaction pays ${tip} lamports to be taken sooner, more than ${MOST_TIP}.`;
  return checkOpen(opens[0]!, terms, payer);
}

/** What stands beside a deposit. An associated token account of the payer, whose rent it is, may be made, and nothing may empty one. */
function isHarmless({ program, accounts, data }: Instruction, payer: string): boolean {
  if (program === ASSOCIATED_TOKEN) return accounts[2] === payer && (data.length === 0 || (data.length === 1 && data[0]! <= 1));
  return program === COMPUTE_BUDGET || program === MEMO;
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
