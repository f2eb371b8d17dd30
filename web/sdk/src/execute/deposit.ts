import { ApiAbortedError } from '../errors.js';
import type { SubmitAsk, Terms } from '../generated/types.js';
import { invalidResponse } from '../request.js';
import { isSolana, type SolanaSigner, type Wallet } from '../wallets/wallet.js';
import type { Plan } from './check-deposit.js';
import { followBatch, sendBatch, type Batch } from './batch.js';
import { requestWallet, waitForReceipt, wrapWalletError, type WalletChains } from './wallet-request.js';

/** Identifies the deposit towards the service; exactly one field is set. */
export type DepositProof = Pick<SubmitAsk, 'txHash' | 'signedTransaction' | 'signature'>;

/** What the wallet did: it took a batch, or a transaction was sent. */
export type Sent = { type: 'batched' } & Batch | { type: 'sent'; txHash: string; deposit: boolean };

/** Sends the requests of the plan to the wallet, in order; the approvals and the deposit as one batch if the wallet takes batches. */
export async function deposit(
  wallet: Wallet,
  from: string,
  plan: Plan,
  chains: WalletChains | undefined,
  signal: AbortSignal | undefined,
  onSent: (sent: Sent) => void,
): Promise<DepositProof> {
  const proof: DepositProof = {};
  let mayBatch = true;
  const throwIfAborted = () => {
    if (signal?.aborted) throw new ApiAbortedError();
  };
  for (const { method, params, transaction, waitForReceipt: needsReceipt, deposit } of plan.requests) {
    throwIfAborted();
    if (transaction !== undefined) {
      if (!isSolana(wallet)) throw invalidResponse('The deposit needs a Solana transaction, which this wallet cannot sign.');
      proof.signedTransaction = base64(await wrapWalletError(wallet.signTransaction(await verify(wallet, transaction, plan.terms!))));
      continue;
    }
    if (isSolana(wallet)) throw invalidResponse('The deposit needs an EVM transaction, which this wallet cannot sign.');
    if (method === 'eth_sendTransaction' && mayBatch) {
      mayBatch = false;
      const batch = await wrapWalletError(sendBatch(wallet, from, plan, signal));
      if (batch) {
        onSent({ type: 'batched', ...batch });
        const hash = await wrapWalletError(followBatch(wallet, batch, signal));
        onSent({ type: 'sent', txHash: hash, deposit: true });
        return { txHash: hash };
      }
      throwIfAborted();
    }
    const txHash = await wrapWalletError(requestWallet(wallet, method, params, chains));
    if (method !== 'eth_sendTransaction') continue;
    if (typeof txHash !== 'string') throw invalidResponse('The wallet did not return a transaction hash.');
    onSent({ type: 'sent', txHash, deposit: deposit === true });
    if (needsReceipt) await wrapWalletError(waitForReceipt(wallet, from, txHash, signal));
    if (deposit) proof.txHash = txHash;
  }
  const { permit, order } = plan;
  if (permit && !isSolana(wallet)) {
    const sign = (data: object) => {
      throwIfAborted();
      return wrapWalletError(wallet.request({ method: 'eth_signTypedData_v4', params: [from, JSON.stringify(data)] })) as Promise<string>;
    };
    proof.signature = order ? await (await import('./token-permit.js')).signBoth(sign, permit, order) : await sign(permit);
  }
  return proof;
}

/** Decodes and checks a transaction before it is signed. */
async function verify(wallet: SolanaSigner, encoded: string, terms: Terms): Promise<Uint8Array> {
  let transaction: Uint8Array;
  let problem: string | undefined;
  try {
    transaction = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    problem = await wallet.checkTransaction(transaction, terms);
  } catch {
    throw invalidResponse('The deposit transaction cannot be decoded.');
  }
  if (problem) throw invalidResponse(problem);
  return transaction;
}

const base64 = (data: Uint8Array) => btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''));
