import type { Client } from '../client.js';
import { ApiAbortedError } from '../errors.js';
import type { BuildAnswer, SubmitAsk, Terms } from '../generated/types.js';
import { unlike } from '../request.js';
import { isSolana, type SolanaSigner, type Wallet } from '../wallets/wallet.js';
import { asked, mined, request } from './wallet-request.js';

/** What shows that the deposit was made; exactly one of them. */
export type Proof = Pick<SubmitAsk, 'txHash' | 'signedTransaction' | 'signature'>;

/** Who is told of a transaction that is on its way. */
export type OnSent = (sent: { txHash: string; deposit: boolean }) => void;

/** Does what the deposit asks of the wallet, in order. */
export async function deposit(
  client: Client,
  wallet: Wallet,
  from: string,
  built: BuildAnswer,
  signal: AbortSignal | undefined,
  onSent: OnSent,
): Promise<Proof> {
  const proof: Proof = {};
  const go = () => {
    if (signal?.aborted) throw new ApiAbortedError();
  };
  for (const approval of ('approvals' in built && built.approvals) || []) {
    go();
    if (approval.type === 'solana_sendTransaction') {
      if (!isSolana(wallet)) throw unlike('The deposit asks for a Solana transaction, which this wallet cannot sign.');
      const transaction = checked(wallet, approval.transaction, built.terms);
      const signed = await asked(wallet.signTransaction(transaction));
      if (approval.deposit) proof.signedTransaction = base64(signed);
      continue;
    }
    if (isSolana(wallet)) throw unlike('The deposit asks for an EVM transaction, which this wallet cannot sign.');
    const { method, params } = approval.request;
    const answer = await asked(request(client, wallet, method, params));
    if (method !== 'eth_sendTransaction') continue;
    if (typeof answer !== 'string') throw unlike('The wallet answered without a transaction hash.');
    onSent({ txHash: answer, deposit: approval.deposit === true });
    if (approval.waitForReceipt) await asked(mined(wallet, answer, signal));
    if (approval.deposit) proof.txHash = answer;
  }
  if (built.kind === 'PERMIT2' && !isSolana(wallet)) {
    go();
    const params = [from, JSON.stringify(built.permit)];
    proof.signature = (await asked(wallet.request({ method: 'eth_signTypedData_v4', params }))) as string;
  }
  return proof;
}

/** The bytes of a transaction that may be signed. */
function checked(wallet: SolanaSigner, text: string, terms: Terms): Uint8Array {
  let transaction: Uint8Array;
  let problem: string | undefined;
  try {
    transaction = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    problem = wallet.checkTransaction(transaction, terms);
  } catch {
    throw unlike('The deposit cannot be read.');
  }
  if (problem) throw unlike(problem);
  return transaction;
}

const base64 = (data: Uint8Array) => btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''));
