import type { Filler, Order } from '@causeway/sdk';
import { getJson } from '../site.js';

const MEMORY = 'causeway-operator-token';

export interface Overview {
  at: string;
  orders: { filler: string; status: string; orders: number }[];
  unclaimed: { filler: string; chainId: number; token: string; symbol: string | null; decimals: number | null; orders: number; amount: string; usd: string | null; refundAt: string; secondsLeft: number }[];
  chains: { chainId: number; name: string; enabled: boolean; block: number | null; blockTime: string | null; lagSeconds: number | null }[];
  prices: { symbol: string; chainId: number; token: string; usd: string | null; problem: string | null; sources: number | null; ageSeconds: number | null; spreadMillionths: number | null }[];
  endpoints: { chain: number; endpoint: string; up: number; head: number | null }[];
  attesters: { attester: string; readableChains: number }[];
  breakers: { filler: string; chain: number; breaker: string }[];
  haltedChains: { chain: number }[];
  priceSources: { source: string; reads: number; faults: number | null }[];
  onRamps: { provider: string; answers: number; faults: number; lastFault: string | null; lastFaultAt: string | null; paused: string | null }[];
  inventory: { filler: string; chainId: number; gasUsd: number | null; isGasLow: boolean; stockUsd: number | null; isStockLow: boolean; largest: { symbol: string | null; usd: number }[] }[];
}
export interface Results { hours: number; isCut: boolean; fillers: { filler: string; filled: number; unpriced: number; volumeUsd: string; referrersUsd: string; marginUsd: string; gasUsd: string; resultUsd: string }[] }
export interface Stuck { orderId: string; status: string; filler: string; fromChainId: number; toChainId: number; unmovedSince: string; reason: string; remedy: string }
interface Side { chainId: number; token: string; amount: string }
/** Everything that the service knows of an order. */
export interface History {
  order: { id: string; status: string; filler: string; depositMethod: string; from: Side; to: Side; author: string; recipient: string; refundTo: string; failureReason: string | null };
  events: { at: string; status: string | null; detail: string }[];
  sent: { purpose: string | null; chainId: number; state: string; txHash: string | null; attempts: unknown[] }[];
  arrivals: { token: string; gained: string; block: number; txHash: string | null }[];
  trouble: { kind: string; words: string; since: string } | null;
  wait: { reason: string; remedy: string } | null;
}
export interface Pause { kind: string; name: string; reason: string; since: string }
export interface ListedFiller { name: string; kind: string | null; url: string | null; state: string; reason: string | null }
export interface AuditEvent { key: number; at: string; kind: string; subject: string; detail: string }
export interface Webhook { name: string; url: string; enabled: boolean; waiting: number; givenUp: number }
export interface Page { data: Order[]; cursor?: number | null }
export type { Filler };

/** The operator's API with a token that is kept for this tab only. */
export class OperatorApi {
  token = sessionStorage.getItem(MEMORY) ?? '';

  remember(token: string): void {
    this.token = token;
    sessionStorage.setItem(MEMORY, token);
  }

  forget(): void {
    this.token = '';
    sessionStorage.removeItem(MEMORY);
  }

  get<T>(path: string): Promise<T> {
    return getJson<T>(`/operator${path}`, { headers: { authorization: `Bearer ${this.token}` } });
  }

  send(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    return getJson(`/operator${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  }
}
