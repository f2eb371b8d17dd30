import { parseTokenIdentifier, SOLANA_CHAIN_ID, SOLANA_REFERENCE } from '@causeway/sdk';
import { html, nothing, type TemplateResult } from 'lit-html';
import { showUnits, showUsd } from '../../../widget/src/amounts.js';
import { keyOf, type KnownToken } from '../../../widget/src/flows/catalog.js';
import { chainLogo } from '../../../widget/src/views/logos.js';
import { ago, catalog, chainName, shortText, site, span } from '../site.js';
import type { Dashboard } from './dashboard.js';

const usd = (text: string | null | undefined): string => (text == null ? '—' : showUsd(Number(text), 'en'));
/** A chain whose last final block is older than this is looked at. */
export const LATE = 120;

/** Whether all is well, at a glance. */
export function summaryView({ overview, stuck, pauses, fillers }: Dashboard): TemplateResult {
  const count = (...statuses: string[]) => overview?.orders.filter(({ status }) => statuses.includes(status)).reduce((sum, { orders }) => sum + orders, 0) ?? 0;
  const unclaimed = overview?.unclaimed.reduce((sum, one) => sum + Number(one.usd ?? 0), 0) ?? 0;
  const late = overview?.chains.filter(({ enabled, lagSeconds }) => enabled && lagSeconds !== null && lagSeconds > LATE).length ?? 0;
  const unwell = fillers.filter(({ health }) => health !== 'healthy').length;
  const [breakers, halted] = [overview?.breakers.length ?? 0, overview?.haltedChains.length ?? 0];
  const silent = overview?.endpoints.filter(({ up }) => up === 0).length ?? 0;
  const absent = overview?.attesters.filter(({ readableChains }) => readableChains === 0).length ?? 0;
  const low = overview?.inventory.filter(({ isGasLow, isStockLow }) => isGasLow || isStockLow).length ?? 0;
  const counts: [number, string, string][] = [[stuck.length, 'stuck order', 'stuck orders'], [late, 'chain behind', 'chains behind'], [halted, 'chain halted', 'chains halted'], [breakers, 'breaker open', 'breakers open'], [silent, 'endpoint down', 'endpoints down'],
    [absent, 'attester down', 'attesters down'], [unwell, 'filler unwell', 'fillers unwell'], [low, 'low inventory', 'low inventories'], [pauses.length, 'pause', 'pauses']];
  const isWell = counts.every(([number]) => number === 0);
  const words = counts.filter(([number]) => number > 0).map(([number, one, several]) => `${number} ${number === 1 ? one : several}`);
  return html`<section aria-labelledby="glance"><h2 id="glance" class="unseen">At a glance</h2>
    <p class="state ${isWell ? 'good' : 'wait'}" id="glance-state">${isWell ? 'All is well' : words.join(', ')}</p>
    <dl class="stats"><div><dt>Open</dt><dd>${count('created', 'deposited', 'published', 'refund_pending').toLocaleString('en')}</dd></div><div><dt>Filled</dt><dd>${count('filled').toLocaleString('en')}</dd></div>
      <div><dt>Refunded</dt><dd>${count('refunded').toLocaleString('en')}</dd></div><div><dt>Failed</dt><dd>${count('failed').toLocaleString('en')}</dd></div>
      <div><dt>Unclaimed</dt><dd>${showUsd(unclaimed, 'en')}</dd></div><div><dt>Stuck</dt><dd>${stuck.length}</dd></div></dl></section>`;
}

export function stuckView({ stuck }: Dashboard): TemplateResult | typeof nothing {
  if (stuck.length === 0) return nothing;
  return html`<section aria-labelledby="stuck"><h2 id="stuck">Stuck orders</h2><ul class="stack plain-list">${stuck.map((one) => html`<li class="card">
    <p><a href="/order/${one.orderId}"><bdi class="mono">${one.orderId}</bdi></a> <span class="tag warn">${one.status}</span> <span class="muted">${one.filler}, ${chainName(one.fromChainId)} to ${chainName(one.toChainId)}, unmoved since ${ago(one.unmovedSince)}</span></p>
    <p>${one.reason}</p><p><strong>What moves it:</strong> ${one.remedy}</p></li>`)}</ul></section>`;
}

export function unclaimedView({ overview }: Dashboard): TemplateResult {
  const rows = overview?.unclaimed ?? [];
  return html`<section class="card" aria-labelledby="unclaimed"><h2 id="unclaimed">Unclaimed value</h2>
    ${rows.length === 0 ? html`<p class="muted">The fillers have claimed all that they are owed.</p>` : html`<dl class="facts">${rows.map((one) => html`<div><dt>${one.filler}, ${chainName(one.chainId)}, ${one.orders} orders, ${one.secondsLeft === 0 ? html`<span class="tag bad">may be refunded now</span>` : html`${span(one.secondsLeft)} until the first may be refunded`}</dt>
      <dd>${one.decimals === null ? one.amount : showUnits(one.amount, one.decimals, 'en')} ${one.symbol ?? shortText(one.token)} <span class="muted small">${usd(one.usd)}</span></dd></div>`)}</dl>`}</section>`;
}

/** A token as the operator's API names it. */
const identifierOf = ({ chainId, address }: KnownToken): string => (chainId === SOLANA_CHAIN_ID ? `solana:${SOLANA_REFERENCE}:${address}` : `eip155:${chainId}:${address}`);

/** What a pause is of, in words. */
function pausedName(kind: string, name: string): string {
  if (kind === 'chain') return chainName(Number(name));
  if (kind !== 'token') return name;
  try {
    const token = parseTokenIdentifier(name);
    const known = catalog.top.find((one) => keyOf(one) === keyOf(token));
    return `${known?.symbol ?? shortText(token.address)} on ${chainName(token.chainId)}`;
  } catch {
    return name;
  }
}

/** Pauses with a switch and a reason. */
export function pausesView(dashboard: Dashboard): TemplateResult {
  const { pauses, api, act, listed, overview } = dashboard;
  const tokens = [...catalog.top].sort((one, other) => one.symbol.localeCompare(other.symbol, 'en') || one.chainId - other.chainId);
  const pause = (event: Event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const [kind, name] = String(new FormData(form).get('what')).split(/:(.*)/s);
    const reason = String(new FormData(form).get('reason')).trim();
    void act(`Pause ${kind} ${pausedName(kind ?? '', name ?? '')}`, () => api.send('POST', '/pauses', { kind, name, reason })).then(() => form.reset());
  };
  return html`<section class="card" aria-labelledby="pauses"><h2 id="pauses">Pauses</h2>
    ${pauses.length === 0 ? html`<p class="muted">Nothing is paused.</p>` : html`<dl class="facts">${pauses.map(({ kind, name, reason, since }) => html`<div><dt>${kind} ${pausedName(kind, name)}${reason ? `: ${reason}` : nothing} <span class="small">${ago(since)}</span></dt>
      <dd><button type="button" class="button small" @click=${() => void act(`Resume ${kind} ${pausedName(kind, name)}`, () => api.send('DELETE', `/pauses/${encodeURIComponent(kind)}/${encodeURIComponent(name)}`))}>Resume</button></dd></div>`)}</dl>`}
    <form class="pause-form" @submit=${pause}>
      <div class="field"><label for="p-what">Pause</label><select id="p-what" name="what" required>
        <optgroup label="Chains">${[...catalog.chains.values()].map(({ id, name }) => html`<option value="chain:${id}">${name}</option>`)}</optgroup>
        <optgroup label="Fillers">${listed.map(({ name }) => html`<option value="filler:${name}">${name}</option>`)}</optgroup>
        <optgroup label="On-ramps">${overview?.onRamps.map(({ provider }) => html`<option value="onramp:${provider}">${provider}</option>`)}</optgroup>
        <optgroup label="Tokens">${tokens.map((token) => html`<option value="token:${identifierOf(token)}">${token.symbol} on ${chainName(token.chainId)}</option>`)}</optgroup></select></div>
      <div class="field"><label for="p-reason">Reason</label><input id="p-reason" name="reason" required maxlength="200" autocomplete="off" /></div>
      <button class="button danger">Pause</button></form>
    <p class="small muted">A pause is for new orders; open ones go on.</p></section>`;
}

export function fillersView({ fillers, listed }: Dashboard): TemplateResult {
  return html`<section aria-labelledby="fillers"><h2 id="fillers">Fillers</h2><div class="table-wrap" tabindex="0"><table class="table">
    <thead><tr><th scope="col">Filler</th><th scope="col">State</th><th scope="col" class="number">Asked</th><th scope="col" class="number">Offered</th><th scope="col" class="number">Won</th><th scope="col" class="number">Answers in</th><th scope="col" class="number">Filled</th><th scope="col" class="number">Refunded</th><th scope="col" class="number">Median fill</th></tr></thead>
    <tbody>${fillers.map((filler) => {
      const own = listed.find(({ name }) => name === filler.name);
      const isGood = filler.health === 'healthy' && (own?.state ?? 'active') === 'active';
      return html`<tr><th scope="row">${filler.name} <span class="muted small">${filler.kind}</span></th><td><span class="tag ${isGood ? 'good' : 'warn'}">${isGood ? 'healthy' : own?.state === 'active' ? filler.health : own?.state ?? filler.health}</span> <span class="small">${own?.reason}</span></td>
        <td class="number">${filler.quotes?.asked}</td><td class="number">${filler.quotes?.offered}</td><td class="number">${filler.quotes?.won}</td><td class="number">${filler.quotes?.medianMs == null ? '—' : `${Math.max(1, Math.round(filler.quotes.medianMs))} ms`}</td>
        <td class="number">${filler.fills?.filled}</td><td class="number">${filler.fills?.refunded}</td><td class="number">${filler.reputation?.medianFillSeconds == null ? '—' : span(filler.reputation.medianFillSeconds)}</td></tr>`;
    })}</tbody></table></div></section>`;
}

/** What each filler has won and spent in the last day, at the prices of now. */
export function resultsView({ results }: Dashboard): TemplateResult | typeof nothing {
  if (!results?.fillers.length) return nothing;
  const cell = (text: string, isResult = false) => html`<td class="number ${isResult && text.startsWith('-') ? 'loss' : ''}">${usd(text)}</td>`;
  return html`<section aria-labelledby="results"><h2 id="results">Results of the last ${results.hours} hours</h2><p class="under small">What was paid, less what was delivered, less gas, at the prices of now.${results.isCut ? ' Only the newest orders are counted.' : nothing}</p><div class="table-wrap" tabindex="0"><table class="table">
    <thead><tr><th scope="col">Filler</th><th scope="col" class="number">Filled</th><th scope="col" class="number">Volume</th><th scope="col" class="number">Referrers</th><th scope="col" class="number">Margin</th><th scope="col" class="number">Gas</th><th scope="col" class="number">Result</th></tr></thead>
    <tbody>${results.fillers.map((one) => html`<tr><th scope="row">${one.filler}${one.unpriced > 0 ? html` <span class="tag warn">${one.unpriced} without a price</span>` : nothing}</th><td class="number">${one.filled.toLocaleString('en')}</td>${cell(one.volumeUsd)}${cell(one.referrersUsd)}${cell(one.marginUsd, true)}${cell(one.gasUsd)}${cell(one.resultUsd, true)}</tr>`)}</tbody></table></div></section>`;
}

/** What the fillers hold on each chain, free of reservations: the coin pays gas, the rest is what they deliver. */
export function inventoryView({ overview }: Dashboard): TemplateResult | typeof nothing {
  const rows = overview?.inventory ?? [];
  if (rows.length === 0) return nothing;
  const worth = (value: number | null, isLow: boolean) => html`<td class="number">${value === null ? '—' : showUsd(value, 'en')} ${isLow ? html`<span class="tag bad">low</span>` : nothing}</td>`;
  const filler = (name: string) => {
    const own = rows.filter((row) => row.filler === name);
    const low = own.filter(({ isGasLow, isStockLow }) => isGasLow || isStockLow).length;
    return html`<details ?open=${low > 0}><summary><strong>${name}</strong> <span class="muted small">${own.length} chains</span> ${low > 0 ? html`<span class="tag bad">${low} low</span>` : html`<span class="tag good">none low</span>`}</summary>
    <div class="table-wrap" tabindex="0"><table class="table"><thead><tr><th scope="col">Chain</th><th scope="col" class="number">Gas</th><th scope="col" class="number">Inventory</th><th scope="col">Largest</th></tr></thead>
      <tbody>${own.map((row) => html`<tr><th scope="row"><span class="chain-name">${chainLogo(site, row.chainId)}${chainName(row.chainId)}</span></th>${worth(row.gasUsd, row.isGasLow)}${worth(row.stockUsd, row.isStockLow)}
        <td>${row.largest.map(({ symbol, usd: dollars }) => `${symbol ?? '?'} ${showUsd(dollars, 'en')}`).join(', ')}</td></tr>`)}</tbody></table></div></details>`;
  };
  return html`<section aria-labelledby="inventory"><h2 id="inventory">Inventory and gas</h2><p class="under small">Free of reservations. Gas below $20 and inventory below $100 are marked.</p>${[...new Set(rows.map((row) => row.filler))].map(filler)}</section>`;
}

export function webhooksView({ webhooks }: Dashboard): TemplateResult {
  return html`<section class="card" aria-labelledby="webhooks"><h2 id="webhooks">Webhooks</h2>${webhooks.length === 0 ? html`<p class="muted">None. <code>causeway webhooks add</code> adds one.</p>`
    : html`<dl class="facts">${webhooks.map((hook) => html`<div><dt>${hook.name} <span class="small">${hook.url}</span></dt><dd>${hook.waiting} waiting${hook.givenUp > 0 ? html` <span class="tag bad">${hook.givenUp} given up</span>` : nothing}${hook.enabled ? nothing : html` <span class="tag">off</span>`}</dd></div>`)}</dl>`}</section>`;
}

export function auditView({ audit }: Dashboard): TemplateResult {
  return html`<section class="card" aria-labelledby="audit"><h2 id="audit">Audit</h2>${audit.length === 0 ? html`<p class="muted">No operator has changed anything, and the screening has refused nothing.</p>`
    : html`<dl class="facts">${audit.slice(0, 20).map((event) => html`<div><dt><span class="tag">${event.kind}</span> ${event.subject}: ${event.detail}</dt><dd class="muted small">${ago(event.at)}</dd></div>`)}</dl>`}</section>`;
}
