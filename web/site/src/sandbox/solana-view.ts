import { html, nothing, type TemplateResult } from 'lit-html';
import { formatUnits } from '../../../widget/src/amounts.js';
import { catalog, timeTag } from '../site.js';
import { addressAnchor, blockPath, coin, fact, trail, txAnchor } from './parts.js';
import { rpc } from './rpc.js';

interface TokenBalance { accountIndex: number; mint: string; owner?: string; uiTokenAmount: { amount: string; decimals: number } }
interface SolanaTransaction {
  slot: number; blockTime: number | null;
  meta: { err: unknown; fee: number; preBalances: number[]; postBalances: number[]; preTokenBalances?: TokenBalance[]; postTokenBalances?: TokenBalance[]; logMessages?: string[] } | null;
  transaction: { signatures: string[]; message: { accountKeys: string[]; instructions: { programIdIndex: number; accounts: number[]; data: string }[] } };
}

/** A transaction of Solana. */
export async function solanaTxView(chainId: number, signature: string): Promise<TemplateResult> {
  const found = await rpc<SolanaTransaction | null>(chainId, 'getTransaction', [signature, { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }]);
  if (!found) return html`${trail(chainId, 'Transaction')}<h1>Transaction</h1><div class="notice warn" role="alert"><div>Solana has no transaction <bdi class="mono break">${signature}</bdi>, or not any more.</div></div>`;
  const { meta, transaction, slot, blockTime } = found;
  const { accountKeys, instructions } = transaction.message;
  const changes = accountKeys.map((key, at) => ({ key, change: BigInt(meta?.postBalances[at] ?? 0) - BigInt(meta?.preBalances[at] ?? 0) })).filter(({ change }) => change !== 0n);
  return html`${trail(chainId, 'Transaction')}
    <h1>Transaction ${meta?.err ? html`<span class="tag bad">Failed</span>` : html`<span class="tag good">Success</span>`}</h1>
    <section class="card"><dl class="facts">
      ${fact('Signature', html`<bdi class="mono break">${transaction.signatures[0]}</bdi>`)}
      ${fact('Slot', html`<a href=${blockPath(chainId, slot)}>${slot.toLocaleString('en')}</a>`)}
      ${fact('Time', blockTime ? timeTag(blockTime * 1000) : nothing)}
      ${fact('Signed by', addressAnchor(chainId, accountKeys[0]!, true))}
      ${fact('Fee', coin(chainId, BigInt(meta?.fee ?? 0)))}
      ${fact('Error', meta?.err ? html`<code>${JSON.stringify(meta.err)}</code>` : nothing)}
    </dl></section>
    <section class="card"><h2>Moves</h2><ul class="moves">
      ${changes.map(({ key, change }) => html`<li>${addressAnchor(chainId, key)} <strong>${change > 0n ? '+' : '−'}${coin(chainId, change < 0n ? -change : change)}</strong></li>`)}
      ${tokenChanges(chainId, meta)}</ul></section>
    <section class="card"><h2>Instructions</h2><ol class="logs">${instructions.map(({ programIdIndex, accounts }) => html`<li><p><strong>${addressAnchor(chainId, accountKeys[programIdIndex]!)}</strong></p>
      <p class="small">${accounts.map((at) => html`${addressAnchor(chainId, accountKeys[at] ?? '')} `)}</p></li>`)}</ol></section>
    ${meta?.logMessages?.length ? html`<section class="card"><h2>Logs</h2><pre class="raw" tabindex="0">${meta.logMessages.join('\n')}</pre></section>` : nothing}`;
}

function tokenChanges(chainId: number, meta: SolanaTransaction['meta']): unknown {
  const before = new Map((meta?.preTokenBalances ?? []).map((one) => [one.accountIndex, BigInt(one.uiTokenAmount.amount)]));
  return (meta?.postTokenBalances ?? []).map((one) => {
    const change = BigInt(one.uiTokenAmount.amount) - (before.get(one.accountIndex) ?? 0n);
    const symbol = catalog.top.find(({ address, chainId: chain }) => chain === chainId && address === one.mint)?.symbol;
    return change === 0n ? nothing : html`<li>${one.owner ? addressAnchor(chainId, one.owner) : nothing} <strong>${change > 0n ? '+' : '−'}${formatUnits(change < 0n ? -change : change, one.uiTokenAmount.decimals)} ${symbol ?? addressAnchor(chainId, one.mint)}</strong></li>`;
  });
}

/** A slot of Solana. */
export async function solanaBlockView(chainId: number, slot: string): Promise<TemplateResult> {
  const block = await rpc<{ blockhash: string; blockTime: number | null; signatures?: string[] } | null>(chainId, 'getBlock', [Number(slot), { transactionDetails: 'signatures', rewards: false, maxSupportedTransactionVersion: 0 }]);
  return html`${trail(chainId, 'Slot')}<div class="section-head"><h1>Slot ${Number(slot).toLocaleString('en')}</h1>
    <p class="pager"><a class="button small" href=${blockPath(chainId, Number(slot) - 1)}>Before</a><a class="button small" href=${blockPath(chainId, Number(slot) + 1)}>After</a></p></div>
    <section class="card"><dl class="facts">${fact('Hash', html`<bdi class="mono break">${block?.blockhash}</bdi>`)}${fact('Time', block?.blockTime ? timeTag(block.blockTime * 1000) : nothing)}
      ${fact('Transactions', block?.signatures?.length ?? 0)}</dl></section>
    <ul class="plain-list">${block?.signatures?.map((signature) => html`<li>${txAnchor(chainId, signature)}</li>`)}</ul>`;
}

/** An account of Solana. */
export async function solanaAddressView(chainId: number, address: string): Promise<TemplateResult> {
  const [balance, signatures, tokens] = await Promise.all([
    rpc<{ value: number }>(chainId, 'getBalance', [address]),
    rpc<{ signature: string; slot: number; err: unknown; blockTime: number | null }[]>(chainId, 'getSignaturesForAddress', [address, { limit: 50 }]),
    rpc<{ value: { account: { data: { parsed: { info: { mint: string; tokenAmount: { amount: string; decimals: number } } } } } }[] }>(chainId, 'getTokenAccountsByOwner', [address, { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' }]).catch(() => ({ value: [] })),
  ]);
  return html`${trail(chainId, 'Account')}<h1>Account</h1>
    <section class="card"><dl class="facts">${fact('Address', html`<bdi class="mono break">${address}</bdi>`)}${fact('Balance', coin(chainId, BigInt(balance.value)))}${fact('Orders', html`<a href="/track/${address}">its orders</a>`)}
      ${tokens.value.map(({ account: { data: { parsed: { info } } } }) => fact(addressAnchor(chainId, info.mint), formatUnits(info.tokenAmount.amount, info.tokenAmount.decimals)))}</dl></section>
    <section><h2>Transactions</h2><div class="table-wrap" tabindex="0"><table class="table"><thead><tr><th scope="col">Transaction</th><th scope="col">Slot</th><th scope="col">Time</th><th scope="col">Result</th></tr></thead>
      <tbody>${signatures.length === 0 ? html`<tr><td class="empty" colspan="4">None</td></tr>` : signatures.map(({ signature, slot, err, blockTime }) => html`<tr><td>${txAnchor(chainId, signature)}</td>
        <td><a href=${blockPath(chainId, slot)}>${slot.toLocaleString('en')}</a></td><td>${blockTime ? timeTag(blockTime * 1000) : nothing}</td><td>${err ? html`<span class="tag bad">Failed</span>` : html`<span class="tag good">Success</span>`}</td></tr>`)}</tbody></table></div></section>`;
}
