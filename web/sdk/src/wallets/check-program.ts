import { toBytes32 } from '../execute/bytes32.js';
import { ASSOCIATED_TOKEN, checkFee, COMPUTE_BUDGET } from './check-solana.js';
import { readTransaction, type Instruction } from './solana-message.js';

/** The instruction that creates a token account unless it exists. */
const CREATE_IDEMPOTENT = 1;

/**
 * Checks a transaction that calls the program of a provider: only the wallet signs and pays, and nothing else is called but what creates
 * its token accounts. What the program then does is the provider's word. Returns the problem, if there is one.
 */
export function checkProgramCall(address: string, target: string, bytes: Uint8Array): string | undefined {
  const transaction = readTransaction(bytes);
  if (!transaction) return 'The deposit transaction is not a version 0 Solana transaction.';
  const [payer, program] = [toBytes32(address), toBytes32(target)];
  const { slots, signers, keys, instructions } = transaction;
  if (slots !== 1 || signers !== 1 || !payer || keys[0] !== payer) return 'The deposit transaction is not signed and paid by the wallet alone.';
  for (const instruction of instructions) {
    const { program: called, accounts } = instruction;
    if (called === program || (called === COMPUTE_BUDGET && accounts.length === 0)) continue;
    if (called !== ASSOCIATED_TOKEN) return `The deposit transaction has an instruction of the program ${called} that a swap does not need.`;
    if (!createsOwnAccount(instruction, payer)) return 'The deposit transaction creates an account that is not the payer\'s.';
  }
  const calls = instructions.filter(({ program: called }) => called === program).length;
  if (calls !== 1) return `The deposit transaction calls the provider ${calls} times, expected once.`;
  return checkFee(instructions);
}

/** Whether an instruction creates a token account of the payer. */
function createsOwnAccount({ accounts, data }: Instruction, payer: string): boolean {
  return data.length === 1 && data[0] === CREATE_IDEMPOTENT && accounts[0] === payer && accounts[2] === payer;
}
