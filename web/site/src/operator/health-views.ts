import { html, nothing, type TemplateResult } from 'lit-html';
import { showUsd } from '../../../widget/src/amounts.js';
import { chainLogo } from '../../../widget/src/views/logos.js';
import { chainName, shortText, site, span } from '../site.js';
import type { Dashboard } from './dashboard.js';
import { LATE } from './views.js';

/** How far each chain was read, and which of its endpoints serve. */
export function chainsView({ overview }: Dashboard): TemplateResult {
  const halted = new Set(overview?.haltedChains.map(({ chain }) => chain));
  return html`<section aria-labelledby="chains"><h2 id="chains">Chains</h2><p class="under small">The last block of each chain that was read as final. Chains that nobody waits for are read less often.</p><ul class="tiles">${overview?.chains.map(({ chainId, name, block, lagSeconds, enabled }) => {
    const endpoints = overview.endpoints.filter(({ chain }) => chain === chainId);
    const down = endpoints.filter(({ up }) => up === 0);
    const state = !enabled ? html`<span class="tag">off</span>` : halted.has(chainId) ? html`<span class="tag bad">halted</span>` : lagSeconds !== null && lagSeconds > LATE ? html`<span class="tag warn">behind</span>` : nothing;
    return html`<li>${chainLogo(site, chainId)}
      <span class="tile-text"><strong>${name}</strong><span>${block === null ? 'not read yet' : `block ${block.toLocaleString('en')}, ${span(lagSeconds ?? 0)} ago`}</span>${endpoints.length === 0 ? nothing : html`<span>${endpoints.length - down.length} of ${endpoints.length} endpoints serve</span>`}${down.map(({ endpoint }) => html`<span class="down">${endpoint} is down</span>`)}</span>
      ${state}</li>`;
  })}</ul></section>`;
}

/** What each price rests on: how many sources, how old the oldest is, how far they are apart. */
export function pricesView({ overview }: Dashboard): TemplateResult {
  const basis = (sources: number | null, age: number | null, spread: number | null) =>
    sources === null ? nothing : html` <span class="muted small">${sources} sources, ${span(age ?? 0)} old, ${((spread ?? 0) / 10_000).toFixed(2)} % apart</span>`;
  const sources = overview?.priceSources ?? [];
  return html`<section class="card" aria-labelledby="prices"><h2 id="prices">Prices</h2>
    ${sources.length === 0 ? nothing : html`<p class="small">${sources.map(({ source, reads, faults }, at) => html`${at > 0 ? ', ' : nothing}${source}: ${reads.toLocaleString('en')} reads, ${(faults ?? 0).toLocaleString('en')} failed`)}</p>`}
    <dl class="facts scroll" tabindex="0" aria-labelledby="prices">${overview?.prices.map(({ symbol, usd, problem, sources: count, ageSeconds, spreadMillionths }) => html`<div><dt>${symbol}${basis(count, ageSeconds, spreadMillionths)}</dt><dd>${usd === null ? html`<span class="tag bad">${problem ?? 'none'}</span>` : showUsd(Number(usd), 'en')}</dd></div>`)}</dl></section>`;
}

/** Who sells coins for fiat, and whether they answer. */
export function onRampsView({ overview }: Dashboard): TemplateResult | typeof nothing {
  const ramps = overview?.onRamps ?? [];
  if (ramps.length === 0) return nothing;
  return html`<section class="card" aria-labelledby="onramps"><h2 id="onramps">On-ramps</h2>
    <dl class="facts">${ramps.map(({ provider, answers, faults, lastFault, lastFaultAt, paused }) => html`<div><dt>${provider} ${paused === null ? nothing : html`<span class="tag warn">paused: ${paused}</span>`}
      ${lastFault === null ? nothing : html`<span class="muted small">${span((Date.now() - Date.parse(lastFaultAt ?? '')) / 1000)} ago: ${lastFault}</span>`}</dt>
      <dd>${answers.toLocaleString('en')} answers, ${faults === 0 ? 'no faults' : html`<span class="tag ${faults > answers ? 'bad' : 'warn'}">${faults.toLocaleString('en')} faults</span>`}</dd></div>`)}</dl></section>`;
}

/** Who signs for claims, and what has stopped quoting by itself. */
export function guardsView({ overview }: Dashboard): TemplateResult {
  const [attesters, breakers] = [overview?.attesters ?? [], overview?.breakers ?? []];
  return html`<div class="order-grid"><section class="card" aria-labelledby="attesters"><h2 id="attesters">Attesters</h2>
      ${attesters.length === 0 ? html`<p class="muted">They run inside this service.</p>` : html`<dl class="facts">${attesters.map(({ attester, readableChains }) => html`<div><dt><bdi class="mono">${shortText(attester)}</bdi></dt><dd>${readableChains === 0 ? html`<span class="tag bad">down</span>` : `reads ${readableChains} chains`}</dd></div>`)}</dl>`}</section>
    <section class="card" aria-labelledby="breakers"><h2 id="breakers">Breakers</h2>
      ${breakers.length === 0 ? html`<p class="muted">None is open.</p>` : html`<dl class="facts">${breakers.map(({ filler, chain, breaker }) => html`<div><dt>${filler}, ${chainName(chain)}</dt><dd><span class="tag bad">${breaker.replaceAll('_', ' ')}</span></dd></div>`)}</dl>`}</section></div>`;
}
