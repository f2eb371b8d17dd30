import { html, render } from 'lit-html';
import { LOCALES } from '../../../widget/src/i18n.js';
import type { CausewayWidget } from '../../../widget/dist/types/index.js';
import { byId, catalog, chainName, copyButton } from '../site.js';
import { embedCode, type Look } from './embed-code.js';

const value = (id: string): string => byId<HTMLInputElement | HTMLSelectElement>(id).value;

function look(): Look {
  return {
    accent: value('p-accent'), radius: Number(value('p-radius')), theme: value('p-theme'), locale: value('p-locale'), title: value('p-title').trim(),
    methods: value('p-methods'), from: value('p-from'), to: value('p-to'), amount: value('p-amount').trim(),
  };
}

/** A widget beside its settings, and the code that gives it. It starts when it comes into view. */
export function startPlayground(): void {
  byId('choices').addEventListener('submit', (event) => event.preventDefault());
  const head = document.querySelector<HTMLElement>('.embed-code .code-head')!;
  const update = () => {
    const code = embedCode(location.origin, look());
    byId('embed-code').textContent = code;
    render(html`<span>HTML</span>${copyButton(code, 'the embed code')}`, head);
    apply(look());
  };
  byId('choices').addEventListener('input', update);
  head.textContent = '';
  update();
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    seen.disconnect();
    void open(update);
  }, { rootMargin: '300px' });
  seen.observe(byId('preview'));
}

async function open(update: () => void): Promise<void> {
  const names = new Intl.DisplayNames('en', { type: 'language' });
  render([html`<option value="">Page’s</option>`, ...LOCALES.map((tag) => html`<option value=${tag}>${names.of(tag)}</option>`)], byId('p-locale'));
  await customElements.whenDefined('causeway-widget');
  const widget = document.createElement('causeway-widget') as CausewayWidget;
  widget.id = 'preview-widget';
  widget.resume = 'none';
  byId('preview').append(widget);
  update();
  await catalog.load().catch(() => {});
  const options = catalog.top.map((token) => html`<option value="${token.chainId}:${token.address}">${token.symbol} on ${chainName(token.chainId)}</option>`);
  for (const id of ['p-from', 'p-to']) render([html`<option value="">Default</option>`, ...options], byId(id));
}

let applied = '';

function apply(wanted: Look): void {
  const widget = document.querySelector<CausewayWidget>('#preview-widget');
  if (!widget) return;
  const { style } = widget;
  if (wanted.accent === '#0a6b70') for (const name of ['accent', 'accent-hover']) style.removeProperty(`--causeway-${name}`);
  else for (const name of ['accent', 'accent-hover']) style.setProperty(`--causeway-${name}`, wanted.accent);
  style.setProperty('--causeway-radius', `${wanted.radius}px`);
  widget.setAttribute('theme', wanted.theme);
  const token = (text: string) => (text ? { chainId: Number(text.split(':')[0]), address: text.split(':')[1]! } : undefined);
  const config = {
    locale: wanted.locale || undefined, methods: wanted.methods || undefined, amount: wanted.amount || undefined, fromToken: token(wanted.from), toToken: token(wanted.to),
    texts: wanted.title ? { titleSwap: wanted.title } : undefined,
  };
  // The same again would start the widget anew, and colours need no new start.
  if (applied === JSON.stringify(config)) return;
  applied = JSON.stringify(config);
  widget.config = config;
}
