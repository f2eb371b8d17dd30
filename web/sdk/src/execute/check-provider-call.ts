import type { QuoteAsk } from '../generated/types.js';
import { functionOf, isKnown, readCall, type Said } from '../provider-calls/evm.js';
import { invalidResponse } from '../request.js';
import { toBytes32 } from './bytes32.js';
import type { TrustedProvider, Unchecked } from './execute-swap.js';
import { mismatchError } from './mismatch-error.js';
import { toAddress } from './terms.js';

/** What a payment to a provider may do. Addresses are in lower case. */
export interface Allowed {
  token: string;
  amount: bigint;
  least: bigint;
  target: string;
}

/** What a call does not say. */
const UNSAID = { recipient: 'who receives the output', output: 'the least output' };

/** Compares what a provider's call says with the request. Returns the settler of 0x that the caller does not trust by name. */
export function checkProviderCall(ask: QuoteAsk, allowed: Allowed, trusted: readonly TrustedProvider[], data: string): string | undefined {
  const said = read(allowed, data);
  checkInput(ask, allowed, said);
  checkReceipt(ask, allowed, said);
  for (const what of ['recipient', 'output'] as const) {
    if (said[what] === undefined && !leaves(trusted, allowed.target, what)) {
      throw invalidResponse(`The deposit's call of ${allowed.target} does not say ${UNSAID[what]}, which is the service's word: trust the contract with \`${what}\` unchecked to take it.`);
    }
  }
  if (!said.settler) return undefined;
  const [operator, settler] = said.settler;
  checkSame('call\'s operator', operator, settler);
  return trusted.some(({ contract }) => contract.toLowerCase() === settler) ? undefined : settler;
}

/** Whether the caller takes the service's word for that. */
export const leaves = (trusted: readonly TrustedProvider[], target: string, what: Unchecked): boolean =>
  trusted.some(({ contract, unchecked }) => contract.toLowerCase() === target && unchecked?.includes(what));

function read({ target }: Allowed, data: string): Said {
  if (!isKnown(data)) throw unknownFunction(functionOf(data), target);
  const said = readCall(data);
  if (!said) throw otherArguments(functionOf(data), target);
  return said;
}

export const unknownFunction = (name: string, contract: string) =>
  invalidResponse(`The deposit calls the function ${name} of ${contract}, which this SDK cannot read: leave the route out, or use a newer SDK.`);

export const otherArguments = (name: string, contract: string) =>
  invalidResponse(`The deposit calls the function ${name} of ${contract} with other arguments than it takes.`);

function checkSame(name: string, actual: string, expected: string): void {
  if (actual !== expected) throw mismatchError(name, actual, expected);
}

/** An EVM address of the request in the form of calls, where native coin is zero. */
export function asked(name: string, address: string): string {
  const word = toBytes32(address);
  if (!word?.startsWith(`0x${'0'.repeat(24)}`)) throw mismatchError(name, address, 'an EVM address');
  return toAddress(word);
}

/** The call takes the input from the payer, and nothing else. */
function checkInput(ask: QuoteAsk, allowed: Allowed, { payer, input }: Said): void {
  if (!input) throw invalidResponse('The deposit\'s call takes other tokens besides the input.');
  if (payer) checkSame('call\'s payer', payer, asked('payer', ask.fromAddress));
  checkSame('call\'s input token', input.token, allowed.token);
  // The value of a call is checked apart.
  const { amount = allowed.amount } = input;
  if (amount !== allowed.amount) throw mismatchError('call\'s input', amount, allowed.amount);
}

/** The recipient gets the least output of the right token on the right chain, as far as the call says it. */
function checkReceipt(ask: QuoteAsk, { least }: Allowed, { swaps, goesOn, chain = swaps ? BigInt(ask.fromChainId) : undefined, recipient, output }: Said): void {
  if (goesOn) throw invalidResponse('The deposit\'s call goes on to another contract on the destination chain.');
  if (chain !== undefined && chain !== BigInt(ask.toChainId)) throw mismatchError('call\'s destination chain', chain, ask.toChainId);
  if (recipient) checkSame('call\'s recipient', recipient, asked('recipient', ask.recipient ?? ask.fromAddress));
  if (!output) return;
  checkSame('call\'s output token', output.token, asked('output token', ask.toToken));
  if (output.least < least) throw mismatchError('call\'s least output', output.least, `at least ${least}`);
}
