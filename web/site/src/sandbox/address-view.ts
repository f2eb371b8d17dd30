import { getBalances } from '@causeway/sdk';
import { html, nothing, type TemplateResult } from 'lit-html';
import { showUnits } from '../../../widget/src/amounts.js';
import { tokenLogo } from '../../../widget/src/views/logos.js';
import { client, site, usdText } from '../site.js';
import type { KnownToken } from '../../../widget/src/flows/catalog.js';
import { txTable } from './block-view.js';
import { addressAnchor, blockAnchor, coin, fact, labelOf, tokenAmount, trail, txAnchor } from './parts.js';
import { batch, rpc, type EvmBlock, type EvmLog } from './rpc.js';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** How far back transactions are looked for. */
const BLOCKS = 100;
const EVENTS = 2000;

/** What an address of an EVM chain holds and did lately. */
export async function addressView(chainId: number, address: string): Promise<TemplateResult> {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new Error('That is no address of this chain: 0x and 40 hex digits.');
  const latest = Number(await rpc<string>(chainId, 'eth_blockNumber'));
  const hex = (number: number) => `0x${Math.max(0, number).toString(16)}`;
  const topic = `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
  const numbers = Array.from({ length: Math.min(BLOCKS, latest + 1) }, (_, at) => latest - at);
  const logs = (topics: unknown[]) => rpc<EvmLog[]>(chainId, 'eth_getLogs', [{ fromBlock: hex(latest - EVENTS), toBlock: 'latest', topics }]).catch(() => []);
  const [[balance, nonce, code], held, blocks, sent, got] = await Promise.all([
    batch<string>(chainId, [['eth_getBalance', [address, 'latest']], ['eth_getTransactionCount', [address, 'latest']], ['eth_getCode', [address, 'latest']]]),
    getBalances(client, address, { chainIds: [chainId] }).then(({ tokens }) => tokens).catch(() => []),
    batch<EvmBlock | null>(chainId, numbers.map((number) => ['eth_getBlockByNumber', [hex(number), true]] as const)).catch(() => []),
    logs([TRANSFER, topic]), logs([TRANSFER, null, topic]),
  ]);
  const isOne = (one: string | null) => one?.toLowerCase() === address.toLowerCase();
  const transactions = blocks.flatMap((block) => block?.transactions.filter(({ from, to }) => isOne(from) || isOne(to)) ?? []);
  const moves = [...sent, ...got].filter(({ topics }) => topics.length === 3).sort((a, b) => Number(b.blockNumber) - Number(a.blockNumber)).slice(0, 30);
  const label = labelOf(chainId, address);
  const tokens = held.filter(({ symbol, decimals }) => symbol && decimals !== undefined) as KnownToken[];
  return html`${trail(chainId, 'Address')}
    <h1>${label ?? (code === '0x' ? 'Account' : 'Contract')}</h1>
    <section class="card"><dl class="facts">
      ${fact('Address', html`<bdi class="mono break">${address}</bdi>`)}
      ${fact('Balance', coin(chainId, balance ?? '0'))}
      ${fact('Kind', code === '0x' ? 'an account with a key' : `a contract of ${(code!.length - 2) / 2} bytes`)}
      ${fact('Transactions sent', Number(nonce))}
      ${fact('Orders', html`<a href="/track/${address}">its orders</a>`)}
    </dl></section>
    ${tokens.length > 0 ? html`<section class="card"><h2>Tokens</h2><ul class="holdings">${tokens.slice(0, 24).map((token) => html`<li>${tokenLogo(site, token)}<span>${showUnits(token.extensions?.balance ?? '0', token.decimals, 'en')} ${token.symbol}<span class="muted small"> ${usdText(token.extensions?.balance, token)}</span></span></li>`)}</ul></section>` : nothing}
    <section><h2>Token moves</h2><div class="table-wrap" tabindex="0"><table class="table">
      <thead><tr><th scope="col">Transaction</th><th scope="col">Block</th><th scope="col">From</th><th scope="col">To</th><th scope="col" class="number">Amount</th></tr></thead>
      <tbody>${moves.length === 0 ? html`<tr><td class="empty" colspan="5">None in the last ${EVENTS.toLocaleString('en')} blocks</td></tr>` : moves.map((log) => html`<tr>
        <td>${txAnchor(chainId, log.transactionHash)}</td><td>${blockAnchor(chainId, Number(log.blockNumber))}</td><td>${addressAnchor(chainId, `0x${log.topics[1]!.slice(26)}`)}</td>
        <td>${addressAnchor(chainId, `0x${log.topics[2]!.slice(26)}`)}</td><td class="number">${tokenAmount(chainId, log.address, BigInt(log.data === '0x' ? 0 : log.data))}</td></tr>`)}</tbody></table></div></section>
    <section><h2>Transactions</h2><p class="under small">Of the last ${BLOCKS} blocks.</p>${txTable(chainId, transactions.slice(0, 50))}</section>`;
}
