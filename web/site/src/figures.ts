import { html, type TemplateResult } from 'lit-html';
import { showUsd } from '../../widget/src/amounts.js';
import { barChart } from './chart.js';

/** What happened in a span of time. */
export interface Figures {
  orders: number; filled: number; refunded: number; volumeUsd: string; medianSeconds: number | null;
}
export interface Side { chainId: number; token: string; symbol: string | null }
/** The answer of `/explorer/figures`. */
export interface FiguresAnswer extends Figures {
  hours: number; isCut: boolean;
  pairs: (Figures & { from: Side; to: Side })[];
  series: (Figures & { at: string })[];
}

type Kind = 'Volume' | 'Orders' | 'Refunds';

const VALUES: Record<Kind, (one: Figures) => [number, string]> = {
  Volume: ({ volumeUsd }) => [Number(volumeUsd), showUsd(Number(volumeUsd), 'en')],
  Orders: ({ orders }) => [orders, String(orders)],
  Refunds: ({ refunded }) => [refunded, String(refunded)],
};

/** Bars over the time of the answer, one chart for each kind. */
export function charts({ hours, series }: FiguresAnswer, kinds: readonly Kind[]): TemplateResult {
  const format = new Intl.DateTimeFormat('en', hours > 24 ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return html`<div class="charts">${kinds.map((kind) => html`<div class="card">${barChart(kind, series.map((one) => {
    const [value, text] = VALUES[kind](one);
    return { label: format.format(new Date(one.at)), value, text };
  }))}</div>`)}</div>`;
}
