import { autocomplete, getSuggestions } from '@causeway/sdk';
import { html, render } from 'lit-html';
import { formatUnits } from '../../../widget/src/amounts.js';
import { sentenceOf, type Sentence } from '../../../widget/src/flows/catalog.js';
import type { CausewayWidget } from '../../../widget/dist/types/index.js';
import { byId, client, wordsOf } from '../site.js';

/** A swap in two clicks: one fills the form and connects the sandbox's wallet, the other confirms. */
export function startTry(): void {
  const widget = byId<CausewayWidget>('widget');
  const box = byId<HTMLInputElement>('sentence');
  byId('swap-now').addEventListener('click', () => void take(widget, undefined));
  let asked = 0;
  const understand = async () => {
    const text = box.value.trim();
    const number = (asked += 1);
    const sentences = text === '' ? [] : await meanings(text).catch((error: unknown) => say(wordsOf(error)));
    if (number !== asked || !sentences) return;
    say(text !== '' && sentences.length === 0 ? 'Name an amount and two tokens, such as “100 USDC on Base to ETH”.' : '');
    show(sentences, widget);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  box.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void understand(), 200);
  });
  void examples(box, understand);
}

function say(text: string): undefined {
  byId('sentence-says').textContent = text;
}

async function meanings(text: string): Promise<Sentence[]> {
  const { data = [] } = await autocomplete(client, text, { limit: 4 });
  return data.flatMap((item) => sentenceOf(item) ?? []);
}

function show(sentences: readonly Sentence[], widget: CausewayWidget): void {
  const choose = (sentence: Sentence) => {
    render(html``, byId('understood'));
    void take(widget, sentence);
  };
  render(sentences.map((sentence) => html`<li><button type="button" @click=${() => choose(sentence)}>${sentence.description}</button></li>`), byId('understood'));
}

/** Examples that are whole swaps. */
async function examples(box: HTMLInputElement, understand: () => Promise<void>): Promise<void> {
  const offered = (await getSuggestions(client).catch(() => [])).map(({ text }) => text ?? '');
  const texts = ['Swap 0.5 ETH for USDC', ...offered.filter((text) => /^(swap|bridge) /i.test(text))].slice(0, 3);
  const fill = (text: string) => {
    box.value = text;
    void understand().then(() => byId('understood').querySelector<HTMLElement>('button')?.focus());
  };
  render(texts.map((text) => html`<li><button type="button" @click=${() => fill(text)}>${text}</button></li>`), byId('examples'));
}

/** Puts the swap into the widget and brings it to its review. */
async function take(widget: CausewayWidget, sentence: Sentence | undefined): Promise<void> {
  if (sentence) {
    const { token, fromToken, toToken, amount } = sentence;
    const isExactOutput = Boolean(fromToken) && !toToken;
    const [from, to] = isExactOutput ? [fromToken, token] : [token, toToken];
    widget.config = {
      ...(from ? { fromToken: { chainId: from.chainId, address: from.address } } : {}),
      ...(to ? { toToken: { chainId: to.chainId, address: to.address } } : {}),
      amount: formatUnits(amount, token.decimals), tradeType: isExactOutput ? 'EXACT_OUTPUT' : 'EXACT_INPUT',
    };
  }
  widget.scrollIntoView({ block: 'nearest', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' });
  await customElements.whenDefined('causeway-widget');
  await widget.useTestWallet({ review: true });
}
