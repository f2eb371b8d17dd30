import { html, svg, nothing, type TemplateResult } from 'lit-html';

const icon = (content: TemplateResult, size = 20) =>
  html`<svg class="icon" viewBox="0 0 24 24" width=${size} height=${size} fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${content}</svg>`;

export const chevron = () => icon(svg`<path d="m6 9 6 6 6-6"/>`, 16);
export const arrowDown = () => icon(svg`<path d="M12 5v14m6-6-6 6-6-6"/>`, 18);
export const arrowBack = () => icon(svg`<path d="M19 12H5m6 6-6-6 6-6"/>`);
export const gear = () => icon(svg`<path d="M4 7h9m5 0h2M4 17h2m5 0h9"/><circle cx="15.5" cy="7" r="2.5"/><circle cx="8.5" cy="17" r="2.5"/>`);
export const clock = () => icon(svg`<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>`);
export const wallet = () => icon(svg`<path d="M4 7.5A2.5 2.5 0 0 1 6.5 5H17v3"/><path d="M4 7.5V17a2.5 2.5 0 0 0 2.5 2.5H20V8H4.6"/><circle cx="16" cy="13.7" r=".6" fill="currentColor"/>`);
export const check = (size = 16) => icon(svg`<path d="m5 12.5 4.5 4.5L19 7.5"/>`, size);
export const cross = (size = 20) => icon(svg`<path d="m6 6 12 12M18 6 6 18"/>`, size);
export const search = () => icon(svg`<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4 4"/>`);
export const warn = (size = 18) => icon(svg`<path d="M12 4 2.8 19.5h18.4z"/><path d="M12 10v4.2m0 2.6v.1"/>`, size);
export const shield = () => icon(svg`<path d="M12 3.5 5 6v5.5c0 4.3 2.9 7.4 7 9 4.1-1.6 7-4.7 7-9V6z"/><path d="m9 11.8 2.2 2.2 4-4.2"/>`, 16);
export const bolt = () => icon(svg`<path d="M13 3 5 13.5h6L10.5 21 19 10h-6.2z"/>`, 14);
export const copy = () => icon(svg`<rect x="8.5" y="8.5" width="11" height="11" rx="2.5"/><path d="M15.5 8.5V7A2.5 2.5 0 0 0 13 4.5H7A2.5 2.5 0 0 0 4.5 7v6A2.5 2.5 0 0 0 7 15.5h1.5"/>`, 18);
export const outward = () => icon(svg`<path d="M8 16 16.5 7.5M9.5 7h7.5v7.5"/>`, 14);
export const swapArrows = () => icon(svg`<path d="M7 4v15m0 0-3.5-3.5M7 19l3.5-3.5M17 20V5m0 0-3.5 3.5M17 5l3.5 3.5"/>`);
export const undo = (size = 20) => icon(svg`<path d="M8 5 4 9l4 4"/><path d="M4 9h10a5.5 5.5 0 0 1 0 11h-3"/>`, size);
export const card = () => icon(svg`<rect x="3" y="5.5" width="18" height="13" rx="2.5"/><path d="M3 10h18"/>`);
export const spinner = (label?: string) => html`<span class="spinner" role=${label ? 'img' : nothing} aria-label=${label ?? nothing}></span>`;
