import { html, nothing, type TemplateResult } from 'lit-html';
import * as icons from '../../../design/icons.js';
import { tokenLogo } from '../../../widget/src/views/logos.js';
import type { KnownToken } from '../../../widget/src/flows/catalog.js';
import { amountText, chainName, site, timeTag, usdText, type Part } from '../site.js';
import type { Kind, Standing } from './words.js';

const badge = (kind: Kind) =>
  html`<span class="badge ${kind}" aria-hidden="true">${kind === 'done' ? icons.check(30) : kind === 'bad' ? icons.cross(28) : kind === 'back' ? icons.undo(28) : html`<span class="ring"></span>`}</span>`;

/** How it stands, at a glance. */
export const hero = ({ kind, title, next }: Standing, more: unknown = nothing): TemplateResult =>
  html`<section class="card hero ${kind}">${badge(kind)}<h1 class="hero-title" aria-live="polite">${title}</h1><p class="muted">${next}</p>${more}</section>`;

/** One side of an exchange. */
export const leg = (label: string, raw: string | null | undefined, token: KnownToken | undefined, name: Pick<KnownToken, 'symbol'> & { decimals?: number | undefined; chainId: number | undefined }): TemplateResult =>
  html`<div class="leg">
    ${tokenLogo(site, token ?? name, 'large')}
    <div><span class="muted small">${label}</span><strong>${amountText(raw, token ?? name)}</strong>
      <span class="muted small">on ${chainName(name.chainId)}${usdText(raw, token) ? html` · ${usdText(raw, token)}` : nothing}</span></div>
  </div>`;

export const exchange = (from: TemplateResult, to: TemplateResult): TemplateResult =>
  html`<div class="exchange">${from}<span class="between" aria-hidden="true">${icons.arrowDown()}</span>${to}</div>`;

export const row = (term: unknown, value: unknown): Part => (value === nothing || value === undefined || value === '' ? nothing : html`<div><dt>${term}</dt><dd>${value}</dd></div>`);

/** A step of the timeline. */
export interface Step {
  text: unknown;
  at?: string | undefined | null;
  state: 'done' | 'now' | 'next' | 'bad';
  link?: Part;
}

export const timeline = (steps: readonly Step[]): TemplateResult => html`<ol class="timeline events">${steps.map(({ text, at, state, link }) => html`<li class=${state} aria-current=${state === 'now' ? 'step' : nothing}>
  <span class="mark" aria-hidden="true">${state === 'done' ? icons.check(14) : state === 'bad' ? icons.cross(14) : state === 'now' ? icons.spinner() : nothing}</span>
  <span class="event"><span>${text}</span>${at ? html`<span class="muted small">${timeTag(at)}</span>` : nothing}</span><span class="step-link">${link ?? nothing}</span></li>`)}</ol>`;

/** Shares the page's address, or copies it. */
export function actions(title: string): TemplateResult {
  const share = async () => {
    const data = { title, url: location.href };
    if (navigator.share && navigator.canShare?.(data)) return void navigator.share(data).catch(() => {});
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    const said = document.getElementById('said');
    if (said) said.textContent = 'The address of this page is copied.';
  };
  return html`<p class="order-actions"><button type="button" class="button" @click=${share}>Share this page</button><button type="button" class="button" @click=${() => print()}>Print a receipt</button><span id="said" class="small muted" role="status"></span></p>`;
}
