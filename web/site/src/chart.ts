import { html, svg, type TemplateResult } from 'lit-html';

/** One bar of a chart. */
export interface Bar {
  label: string;
  value: number;
  /** What is said of it. */
  text: string;
}

const [WIDTH, HEIGHT, GAP] = [480, 96, 3];

/** Bars from left to right, the newest last; a table for those who do not see it. */
export function barChart(title: string, bars: readonly Bar[]): TemplateResult {
  const most = Math.max(...bars.map(({ value }) => value), 0);
  const width = WIDTH / Math.max(1, bars.length);
  const height = (value: number) => (most > 0 && value > 0 ? Math.max(2, (value / most) * HEIGHT) : 0);
  return html`<figure class="chart"><figcaption>${title}</figcaption>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT + 2}" preserveAspectRatio="none" role="img" aria-label="${title}: ${bars.filter(({ value }) => value > 0).map(({ label, text }) => `${label} ${text}`).join(', ') || 'nothing'}">
      ${svg`<line x1="0" x2=${WIDTH} y1=${HEIGHT + 1} y2=${HEIGHT + 1} class="axis"/>`}
      ${bars.map(({ value, label, text }, at) => svg`<rect class="bar-rect" x=${at * width + GAP / 2} y=${HEIGHT - height(value)} width=${width - GAP} height=${height(value)} rx="2"><title>${label}: ${text}</title></rect>`)}
    </svg>
    <div class="chart-ends muted small" aria-hidden="true"><span>${bars[0]?.label}</span><span>${bars.at(-1)?.label}</span></div></figure>`;
}
