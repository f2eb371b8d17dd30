import { html, nothing, type TemplateResult } from 'lit-html';
import { timeTag } from '../site.js';
import { decodeCall } from './abi.js';
import { addressAnchor, blockPath, coin, fact, trail, txAnchor } from './parts.js';
import { rpc, type EvmBlock, type EvmTransaction } from './rpc.js';

/** A block of an EVM chain. */
export async function blockView(chainId: number, number: string): Promise<TemplateResult> {
  const tag = /^\d+$/.test(number) ? `0x${BigInt(number).toString(16)}` : number;
  const [block, latest] = await Promise.all([rpc<EvmBlock | null>(chainId, 'eth_getBlockByNumber', [tag, true]), rpc<string>(chainId, 'eth_blockNumber')]);
  if (!block) return html`${trail(chainId, 'Block')}<h1>Block ${number}</h1><div class="notice warn" role="alert"><div>This chain has no such block. Its newest is <a href=${blockPath(chainId, Number(latest))}>${Number(latest)}</a>; old ones are pruned.</div></div>`;
  const at = Number(block.number);
  return html`${trail(chainId, 'Block')}
    <div class="section-head"><h1>Block ${at.toLocaleString('en')}</h1>
      <p class="pager">${at > 0 ? html`<a class="button small" href=${blockPath(chainId, at - 1)}>Before</a>` : nothing}${at < Number(latest) ? html`<a class="button small" href=${blockPath(chainId, at + 1)}>After</a>` : nothing}</p></div>
    <section class="card"><dl class="facts">
      ${fact('Hash', html`<bdi class="mono break">${block.hash}</bdi>`)}
      ${fact('Time', timeTag(Number(block.timestamp) * 1000))}
      ${fact('Transactions', block.transactions.length)}
      ${fact('Gas', `${Number(block.gasUsed).toLocaleString('en')} of ${Number(block.gasLimit).toLocaleString('en')}`)}
      ${fact('Base fee', block.baseFeePerGas ? `${Number(block.baseFeePerGas) / 1e9} gwei` : nothing)}
    </dl></section>
    ${txTable(chainId, block.transactions)}`;
}

export function txTable(chainId: number, transactions: readonly EvmTransaction[]): TemplateResult {
  return html`<div class="table-wrap" tabindex="0"><table class="table">
    <thead><tr><th scope="col">Transaction</th><th scope="col">Call</th><th scope="col">From</th><th scope="col">To</th><th scope="col" class="number">Value</th></tr></thead>
    <tbody>${transactions.length === 0 ? html`<tr><td class="empty" colspan="5">No transactions</td></tr>` : transactions.map((tx) => html`<tr>
      <td>${txAnchor(chainId, tx.hash)}</td><td>${decodeCall(tx.input)?.name ?? (tx.input === '0x' ? 'transfer of coins' : tx.input.slice(0, 10))}</td>
      <td>${addressAnchor(chainId, tx.from)}</td><td>${tx.to ? addressAnchor(chainId, tx.to) : 'new contract'}</td><td class="number">${coin(chainId, tx.value)}</td></tr>`)}</tbody></table></div>`;
}
