import { ApiAbortedError } from '../errors.js';
import type { SubmitAsk, Terms } from '../generated/types.js';
import { unlike } from '../request.js';
import { isSolana, type SolanaSigner, type Wallet } from '../wallets/wallet.js';
import type { Plan } from './check-deposit.js';
import { asked, mined, request, type WalletChains } from './wallet-request.js';

/** What shows that the deposit was made; exactly one of them. */
export type Proof = Pick<SubmitAsk, 'txHash' | 'signedTransaction' | 'signature'>;

/** Who is told of a transaction that is on its way. */
export type OnSent = (sent: { txHash: string; deposit: boolean }) => void;

/** Does what the plan asks of the wallet, in order. */
export async function deposit(
  wallet: Wallet,
  from: string,
  plan: Plan,
  chains: WalletChains | undefined,
  signal: AbortSignal | undefined,
  onSent: OnSent,
): Promise<Proof> {
  const proof: Proof = {};
  const go = () => {
    if (signal?.aborted) throw new ApiAbortedError();
  };
  for (const { method, params, transaction, waitForReceipt, deposit } of plan.requests) {
    go();
    if (transaction !== undefined) {
      if (!isSolana(wallet)) throw unlike('The deposit asks for a Solana transaction, which this wallet cannot sign.');
      proof.signedTransaction = base64(await asked(wallet.signTransaction(await checked(wallet, transaction, plan.terms))));
      continue;
    }
    if (isSolana(wallet)) throw unlike('The deposit asks for an EVM transaction, which this wallet cannot sign.');
    const answer = await asked(request(wallet, method, params, chains));
    if (method !== 'eth_sendTransaction') continue;
    if (typeof answer !== 'string') throw unlike('The wallet answered without a transaction hash.');
    onSent({ txHash: answer, deposit: deposit === true });
    if (waitForReceipt) await asked(mined(wallet, from, answer, signal));
    if (deposit) proof.txHash = answer;
  }
  if (plan.permit && !isSolana(wallet)) {
    go();
    const params = [from, JSON.stringify(plan.permit)];
    proof.signature = (await asked(wallet.request({ method: 'eth_signTypedData_v4', params }))) as string;
  }
  return proof;
}

/** The bytes of a transaction that may be signed. */
async function checked(wallet: SolanaSigner, text: string, terms: Terms): Promise<Uint8Array> {
  let transaction: Uint8Array;
  let problem: string | undefined;
  try {
    transaction = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    problem = await wallet.checkTransaction(transaction, terms);
  } catch {
    throw unlike('The deposit cannot be read.');
  }
  if (problem) throw unlike(problem);
  return transaction;
}

const base64 = (data: Uint8Array) => btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''));
