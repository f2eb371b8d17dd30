import { ApiAbortedError } from '../errors.js';
import { invalidResponse } from '../request.js';
import { withTimeout } from '../timeout.js';
import type { Eip1193Provider } from '../wallets/wallet.js';
import type { Plan } from './check-deposit.js';
import { toAddress } from './terms.js';
import { pollWallet } from './wallet-request.js';

/** A batch of the approvals and the deposit that a wallet has accepted (EIP-5792). It may be executed at any time from then on. */
export interface Batch {
  /** The wallet's identifier of the batch. */
  batchId: string;
  /** The escrow that the deposit goes to. */
  escrow: string;
}

/** Wallets must answer this without asking anybody; some never answer a method that they do not know. */
const CAPABILITIES_TIMEOUT = 5000;
/** Consecutive errors of a wallet that is asked for a batch's status, after which it is no longer asked. */
const MAX_ERRORS = 3;
/** Error codes by which a wallet says that it does not take the batch at all. Other errors leave open whether it was sent. */
const NOT_TAKEN = [4100, 4200, 5700, 5710, 5740, 5750, 5760, -32_601, -32_602, -32_004];

/**
 * Has the wallet send the approvals and the deposit of the plan as one atomic batch. Resolves with nothing if there is nothing to batch, or
 * the wallet does not take batches: then nothing was sent.
 */
export async function sendBatch(wallet: Eip1193Provider, from: string, plan: Plan, signal: AbortSignal | undefined): Promise<Batch | undefined> {
  const sends = plan.requests.filter(({ method }) => method === 'eth_sendTransaction');
  const transactions = sends.map(({ params }) => params[0] as Record<string, string>);
  const chainId = transactions[0]?.chainId;
  // The receipt of a batch is known by the escrow's events, which a provider's transaction has not.
  if (transactions.length < 2 || !plan.terms || plan.permit || !(await takesBatches(wallet, from, chainId!, signal))) return undefined;
  const calls = transactions.map(({ to, data, value }) => ({ to, data, value }));
  let answer: any;
  try {
    answer = await wallet.request({ method: 'wallet_sendCalls', params: [{ version: '2.0.0', from, chainId, atomicRequired: true, calls }] });
  } catch (error) {
    if (isNotTaken(error)) return undefined;
    throw error;
  }
  // Drafts of EIP-5792 return the identifier alone.
  const batchId: unknown = answer?.id ?? answer;
  if (typeof batchId !== 'string') throw invalidResponse('The wallet did not return an identifier of the batch.');
  return { batchId, escrow: toAddress(plan.terms.escrow) };
}

/** Whether the wallet announces atomic batches on the chain: `atomic` of EIP-5792, or `atomicBatch` of its drafts. */
async function takesBatches(wallet: Eip1193Provider, from: string, chainId: string, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    const ask = () => wallet.request({ method: 'wallet_getCapabilities', params: [from, [chainId]] });
    const capabilities = Object(await withTimeout(CAPABILITIES_TIMEOUT, signal, ask)) as Record<string, any>;
    // Chain 0 stands for all chains.
    return Object.entries(capabilities).some(([chain, { atomic, atomicBatch }]) =>
      [0, Number(chainId)].includes(Number(chain)) && (['supported', 'ready'].includes(atomic?.status) || atomicBatch?.supported === true));
  } catch (error) {
    if (error instanceof ApiAbortedError) throw error;
    return false;
  }
}

/** Libraries put the wallet's error into their own. */
const isNotTaken = (error: any): boolean =>
  [error, error?.cause, error?.info?.error, error?.data?.originalError].some((one) => NOT_TAKEN.includes(one?.code));

interface Status {
  status?: unknown;
  receipts?: { status?: unknown; transactionHash: string; logs?: { address?: string }[] }[];
}

/**
 * Waits until the wallet has executed a batch; returns the transaction hash of the deposit. Throws if there is no deposit, if the wallet does
 * not know the batch, or if it is not executed in time.
 */
export function followBatch(wallet: Eip1193Provider, { batchId, escrow }: Batch, signal: AbortSignal | undefined): Promise<string> {
  const subject = `The batch ${batchId}`;
  let errorCount = 0;
  return pollWallet(subject, signal, async () => {
    let answer: Status | null;
    try {
      answer = (await wallet.request({ method: 'wallet_getCallsStatus', params: [batchId] })) as Status | null;
      errorCount = 0;
    } catch (error) {
      errorCount += 1;
      if (errorCount < MAX_ERRORS) return undefined;
      throw new Error(`${subject} was sent, but the wallet does not tell its status: ${Object(error).message}`, { cause: error });
    }
    return depositOf(answer ?? {}, subject, escrow);
  });
}

/** The transaction hash of a batch's deposit; `undefined` while the batch is pending. */
function depositOf({ status, receipts = [] }: Status, subject: string, escrow: string): string | undefined {
  // Drafts of EIP-5792 have the words PENDING and CONFIRMED.
  const code = status === 'CONFIRMED' ? 200 : Number(status);
  if (!(code >= 200)) return undefined;
  const mined = receipts.filter((receipt) => Number(receipt.status) !== 0);
  // The deposit is the last call of the batch. One that was executed counts, whatever the wallet says of the other calls.
  const deposits = mined.filter(({ logs }) => logs?.some(({ address }) => address?.toLowerCase() === escrow));
  const deposit = deposits.at(-1) ?? (code < 300 ? mined.at(-1) : undefined);
  if (deposit) return deposit.transactionHash;
  if (code < 300 && receipts.length === 0) return undefined;
  const outcome = code >= 600 ? 'executed in part, without the deposit; an approval may remain' : code === 400 ? 'not sent' : 'reverted';
  throw new Error(`${subject} was ${outcome}.`);
}
