import { toBytes32 } from '../execute/bytes32.js';
import { otherArguments, unknownFunction } from '../execute/check-provider-call.js';
import { mismatchError } from '../execute/mismatch-error.js';
import type { QuoteAsk, RouteQuote } from '../generated/types.js';
import { isKnownSwap, nameOf, readSwap } from '../provider-calls/jupiter.js';
import { invalidResponse } from '../request.js';
import { programAddress } from '../transfer/program-address.js';
import { ASSOCIATED_TOKEN, checkFee, COMPUTE_BUDGET, priorityFee, TOKEN_PROGRAMS } from './check-solana.js';
import { readTransaction, type Instruction, type SolanaTransaction } from './solana-message.js';

/** The instruction that creates a token account unless it exists. */
const CREATE_IDEMPOTENT = 1;

/** What a checked transaction swaps: the accounts that stand in it, those of input and output, and its priority fee in lamports. */
export interface ProgramSwap {
  keys: string[];
  source: string;
  destination: string;
  tip: bigint;
}

/**
 * Checks a transaction that calls the program of a provider: only the wallet signs and pays, nothing else is called but what creates its
 * token accounts, and the call is the swap that was asked for.
 */
export async function checkProgramCall(ask: QuoteAsk, quote: RouteQuote, target: string, encoded: string): Promise<ProgramSwap> {
  const [payer, program] = [toBytes32(ask.fromAddress), toBytes32(target)];
  const { slots, signers, keys, instructions } = decode(encoded);
  if (slots !== 1 || signers !== 1 || !payer || keys[0] !== payer) throw invalidResponse('The deposit transaction is not signed and paid by the wallet alone.');
  const swaps: Pick<ProgramSwap, 'source' | 'destination'>[] = [];
  for (const instruction of instructions) {
    const { program: called, accounts } = instruction;
    if (called === program) swaps.push(await checkSwap(ask, quote, instruction));
    if (called === program || (called === COMPUTE_BUDGET && accounts.length === 0)) continue;
    if (called !== ASSOCIATED_TOKEN) throw invalidResponse(`The deposit transaction has an instruction of the program ${called} that a swap does not need.`);
    if (!createsOwnAccount(instruction, payer)) throw invalidResponse('The deposit transaction creates an account that is not the payer\'s.');
  }
  if (swaps.length !== 1) throw invalidResponse(`The deposit transaction calls the provider ${swaps.length} times, expected once.`);
  const fee = checkFee(instructions);
  if (fee) throw invalidResponse(fee);
  return { keys, ...swaps[0]!, tip: priorityFee(instructions) };
}

function decode(encoded: string): SolanaTransaction {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  } catch {
    throw invalidResponse('The deposit transaction cannot be decoded.');
  }
  const transaction = readTransaction(bytes);
  if (!transaction) throw invalidResponse('The deposit transaction is not a version 0 Solana transaction.');
  return transaction;
}

/** Whether an instruction creates a token account of the payer. */
function createsOwnAccount({ accounts, data }: Instruction, payer: string): boolean {
  return data.length === 1 && data[0] === CREATE_IDEMPOTENT && accounts[0] === payer && accounts[2] === payer;
}

/**
 * Compares what a swap of Jupiter says with the request: payer, token accounts, input and least output.
 *
 * What a lookup table names is not read, because a table is on the chain. Payer and token accounts must stand in the transaction itself;
 * a token account's address follows from its owner, its token and its token program, so those need not.
 */
async function checkSwap(ask: QuoteAsk, quote: RouteQuote, { program, accounts, data }: Instruction) {
  if (!isKnownSwap(data)) throw unknownFunction(nameOf(data), program);
  const swap = readSwap(program, accounts, data);
  if (!swap) throw otherArguments(nameOf(data), program);
  if (ask.toChainId !== ask.fromChainId) throw mismatchError('call\'s destination chain', ask.fromChainId, ask.toChainId);
  checkKey('call\'s payer', swap.payer, ask.fromAddress);
  if (swap.input) checkKey('call\'s input token', swap.input, ask.fromToken);
  if (swap.output) checkKey('call\'s output token', swap.output, ask.toToken);
  for (const tokens of swap.programs) {
    if (tokens && !TOKEN_PROGRAMS.includes(tokens)) throw mismatchError('call\'s token program', tokens, 'a known token program');
  }
  await checkAccount('call\'s source', swap.source, ask.fromAddress, ask.fromToken);
  await checkAccount('call\'s destination', swap.destination, ask.recipient ?? ask.fromAddress, ask.toToken);
  if (swap.amount !== BigInt(quote.amountIn)) throw mismatchError('call\'s input', swap.amount, quote.amountIn);
  if (swap.fees > 0) throw mismatchError('call\'s fee in basis points', swap.fees, 0);
  const least = quote.minAmountOut ?? quote.amountOut;
  if (swap.least < BigInt(least)) throw mismatchError('call\'s least output', swap.least, `at least ${least}`);
  return { source: swap.source!, destination: swap.destination! };
}

/** A key of the call as text: those of lookup tables are not known. */
const shown = (key: string | undefined): string => key ?? 'in a lookup table';

function checkKey(name: string, key: string | undefined, asked: string): void {
  if (!key || key !== toBytes32(asked)) throw mismatchError(name, shown(key), asked);
}

/** The account is where the owner keeps the token, with one of the token programs. */
async function checkAccount(name: string, account: string | undefined, owner: string, mint: string): Promise<void> {
  for (const tokens of TOKEN_PROGRAMS) {
    const seeds = [owner, mint].map((address) => toBytes32(address)?.slice(2) ?? '');
    if (account === `0x${await programAddress([seeds[0]!, tokens!.slice(2), seeds[1]!], ASSOCIATED_TOKEN.slice(2))}`) return;
  }
  throw mismatchError(name, shown(account), `the token account of ${owner} for ${mint}`);
}
