import { getJson } from '../site.js';

/** JSON-RPC to a chain of the sandbox. */
export async function rpc<T>(chainId: number, method: string, params: unknown[] = []): Promise<T> {
  const [answer] = await batch<T>(chainId, [[method, params]]);
  return answer as T;
}

/** Several calls in one request; each answer in its place. A refused call is an error of all. */
export async function batch<T>(chainId: number, calls: readonly (readonly [string, unknown[]])[]): Promise<T[]> {
  const body = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
  const response = await fetch(`/sandbox/rpc/${chainId}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const answers = (await response.json().catch(() => [])) as { id: number; result?: T; error?: { message: string } }[] | { error?: { message: string }; message?: string };
  if (!Array.isArray(answers)) throw new Error(answers.error?.message ?? answers.message ?? `The chain answered ${response.status}.`);
  const failed = answers.find(({ error }) => error);
  if (failed?.error) throw new Error(failed.error.message);
  return [...answers].sort((a, b) => a.id - b.id).map(({ result }) => result as T);
}

/** One of the sandbox's controls. */
export async function control(chainId: number, body: Record<string, unknown>): Promise<Record<string, unknown>> {
  const response = await fetch(`/sandbox/control/${chainId}`, { method: 'POST', body: JSON.stringify(body) });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown> & { message?: string; error?: string };
  if (!response.ok) throw new Error(answer.message ?? answer.error ?? `The sandbox answered ${response.status}.`);
  return answer;
}

export interface EvmTransaction {
  hash: string; from: string; to: string | null; value: string; input: string; nonce: string; blockNumber: string | null; gas: string; type: string;
}
export interface EvmLog { address: string; topics: string[]; data: string; logIndex: string; transactionHash: string; blockNumber: string }
export interface EvmReceipt { status: string; gasUsed: string; effectiveGasPrice: string; logs: EvmLog[]; contractAddress: string | null }
export interface EvmBlock { number: string; hash: string; parentHash: string; timestamp: string; gasUsed: string; gasLimit: string; baseFeePerGas?: string; transactions: EvmTransaction[] }

/** How the switches of a chain stand. */
export interface Switches {
  height: number;
  paused: boolean;
  failing: boolean;
  lying: boolean;
}

export async function switches(chainId: number): Promise<Switches> {
  const { blockNumber, slot, ...rest } = await getJson<Omit<Switches, 'height'> & { blockNumber?: number; slot?: number }>(`/sandbox/control/${chainId}`);
  return { ...rest, height: blockNumber ?? slot ?? 0 };
}
