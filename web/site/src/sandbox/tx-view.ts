import { getIntent, getOrders } from '@causeway/sdk';
import { html, nothing, type TemplateResult } from 'lit-html';
import { client, timeTag } from '../site.js';
import { decodeCall, decodeLog } from './abi.js';
import { addressAnchor, blockAnchor, coin, decodedView, fact, tokenAmount, trail } from './parts.js';
import { rpc, type EvmBlock, type EvmLog, type EvmReceipt, type EvmTransaction } from './rpc.js';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** A transaction of an EVM chain. */
export async function txView(chainId: number, hash: string): Promise<TemplateResult> {
  const tx = await rpc<EvmTransaction | null>(chainId, 'eth_getTransactionByHash', [hash]);
  if (!tx) return html`${trail(chainId, 'Transaction')}<h1>Transaction</h1><div class="notice warn" role="alert"><div>This chain has no transaction <bdi class="mono break">${hash}</bdi>. It may have been dropped, replaced, or pruned with old blocks.</div></div>`;
  const [receipt, block] = await Promise.all([
    rpc<EvmReceipt | null>(chainId, 'eth_getTransactionReceipt', [hash]),
    tx.blockNumber ? rpc<EvmBlock | null>(chainId, 'eth_getBlockByNumber', [tx.blockNumber, false]) : null,
  ]);
  const orderId = await orderOf(receipt?.logs ?? []);
  const call = decodeCall(tx.input);
  const isPlain = tx.input === '0x';
  const state = !receipt ? html`<span class="tag now">Pending</span>` : receipt.status === '0x1' ? html`<span class="tag good">Success</span>` : html`<span class="tag bad">Reverted</span>`;
  return html`${trail(chainId, 'Transaction')}
    <h1>${call ? html`<bdi>${call.name}</bdi>` : isPlain ? 'Transfer' : tx.to ? 'Call' : 'Deployment'} ${state}</h1>
    <section class="card"><dl class="facts">
      ${fact('Transaction', html`<bdi class="mono break">${tx.hash}</bdi>`)}
      ${fact('Order', orderId ? html`<a href="/order/${orderId}"><bdi class="mono">${orderId}</bdi></a>` : nothing)}
      ${fact('Block', tx.blockNumber ? blockAnchor(chainId, Number(tx.blockNumber)) : nothing)}
      ${fact('Time', block ? timeTag(Number(block.timestamp) * 1000) : nothing)}
      ${fact('From', addressAnchor(chainId, tx.from, true))}
      ${fact(tx.to ? 'To' : 'Created', tx.to ? addressAnchor(chainId, tx.to, true) : receipt?.contractAddress ? addressAnchor(chainId, receipt.contractAddress, true) : nothing)}
      ${fact('Value', coin(chainId, tx.value))}
      ${fact('Fee', receipt ? `${coin(chainId, BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice))} (${Number(receipt.gasUsed).toLocaleString('en')} gas)` : nothing)}
      ${fact('Nonce', Number(tx.nonce))}
    </dl></section>
    ${moves(chainId, tx, receipt)}
    ${call ? html`<section class="card"><h2>Call</h2>${decodedView(chainId, call)}</section>` : nothing}
    ${receipt && receipt.logs.length > 0 ? html`<section class="card"><h2>Logs</h2><ol class="logs">${receipt.logs.map((log) => logView(chainId, log))}</ol></section>` : nothing}
    ${isPlain ? nothing : html`<section class="card"><details><summary>Input, ${Math.max(0, tx.input.length - 2) / 2} bytes</summary><pre class="raw" tabindex="0">${tx.input}</pre></details></section>`}`;
}

/** The order that a transaction opened, filled, claimed or refunded, by the id in the contracts' events. */
async function orderOf(logs: readonly EvmLog[]): Promise<string | undefined> {
  const ids = logs.flatMap(({ topics, data }) => decodeLog(topics, data)?.values.filter(({ name }) => name === 'orderId').map(({ value }) => String(value)) ?? []);
  const intent = ids[0] ? await getIntent(client, ids[0]).catch(() => undefined) : undefined;
  if (!intent?.author) return undefined;
  const { data } = await getOrders(client, intent.author, { limit: 100 }).catch(() => ({ data: [] }));
  return data.find((order) => order.intentId === intent.intentId)?.id;
}

const addressAt = (topic: string): string => `0x${topic.slice(26)}`;

/** What went from whom to whom: the coin, and tokens by their own logs. */
function moves(chainId: number, tx: EvmTransaction, receipt: EvmReceipt | null): unknown {
  const tokens = (receipt?.logs ?? []).filter(({ topics }) => topics[0] === TRANSFER && topics.length === 3);
  const hasValue = BigInt(tx.value) > 0n && receipt?.status === '0x1' && tx.to;
  if (tokens.length === 0 && !hasValue) return nothing;
  const line = (from: string, to: string, amount: unknown) => html`<li>${addressAnchor(chainId, from)} <span aria-label="to">→</span> ${addressAnchor(chainId, to)} <strong>${amount}</strong></li>`;
  return html`<section class="card"><h2>Moves</h2><ul class="moves">
    ${hasValue ? line(tx.from, tx.to!, coin(chainId, tx.value)) : nothing}
    ${tokens.map((log) => line(addressAt(log.topics[1]!), addressAt(log.topics[2]!), tokenAmount(chainId, log.address, BigInt(log.data === '0x' ? 0 : log.data))))}</ul></section>`;
}

function logView(chainId: number, log: EvmLog): TemplateResult {
  const decoded = decodeLog(log.topics, log.data);
  return html`<li><p><strong>${decoded?.name ?? 'Unknown event'}</strong> <span class="muted">of</span> ${addressAnchor(chainId, log.address)}</p>
    ${decoded ? decodedView(chainId, decoded) : html`<pre class="raw" tabindex="0">${[...log.topics, log.data].join('\n')}</pre>`}</li>`;
}
