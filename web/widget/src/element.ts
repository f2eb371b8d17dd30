import { render } from 'lit-html';
import { App } from './app.js';
import { showUsd } from './amounts.js';
import { en } from './locales/en.js';
import { isRightToLeft, loadWords, nearestLocale, wordsOf } from './i18n.js';
import { ATTRIBUTES, OPTION_NAMES, readAttribute } from './options.js';
import { Place } from './place.js';
import type { WidgetEvents, WidgetOptions } from './public.js';
import parts from '../../design/parts.css';
import tokens from '../../design/tokens.css';
import base from './styles/base.css';
import flows from './styles/flows.css';
import form from './styles/form.css';
import { shell } from './views/shell.js';

// A server that only imports this module has no elements.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

let sheet: CSSStyleSheet | undefined;

/** The names of the widgets on this page, which tell their orders apart in its address. */
const taken = new Set<string>();

/** `<causeway-widget>`: every option is a property, and an attribute where it is text. */
export class CausewayWidget extends Base {
  static readonly observedAttributes = [...ATTRIBUTES.keys()];

  #options: Record<string, unknown> = {};
  #app: App | undefined;
  #name = '';
  #isScheduled = false;
  #isReset = false;
  #view = '';
  #opener: string | undefined;
  #fitted: string | undefined;
  readonly #sizes = new ResizeObserver(() => {
    this.#fitted = undefined;
    this.#schedule();
  });
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    if (!this.shadowRoot) this.attachShadow({ mode: 'open' });
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(tokens + base + parts + form + flows);
    }
    this.shadowRoot!.adoptedStyleSheets = [sheet];
    this.shadowRoot!.addEventListener('keydown', (event) => this.#leave(event as KeyboardEvent));
  }

  /** Escape goes back from a choice. Text of a search is cleared first, which the browser does; nothing that is under way is left so. */
  #leave(event: KeyboardEvent): void {
    const { type, value } = event.target as HTMLInputElement;
    if (event.key !== 'Escape' || !/^(picker|wallets|settings|history)/.test(this.#view) || (type === 'search' && value)) return;
    // A dialog of the host stays open.
    event.preventDefault();
    event.stopPropagation();
    this.shadowRoot!.querySelector<HTMLElement>('.head .icon-button')?.click();
  }

  /** Many options at once; those that are not named keep their values. */
  set config(options: WidgetOptions) {
    for (const name of OPTION_NAMES) if (name in options) this.#options[name] = options[name];
    this.#reset();
  }
  get config(): WidgetOptions {
    return { ...this.#options };
  }

  /** Shows an order, such as one from the host's own list. */
  openOrder(orderId: string): void {
    this.#app?.openOrder(orderId);
  }

  /** Connects the sandbox's test wallets; with `review` the swap of the form is shown for confirmation as soon as it has its price. */
  async useTestWallet({ review = false }: { review?: boolean } = {}): Promise<void> {
    // Options that were just set make another app, which is the one that is meant.
    await Promise.resolve();
    await this.#app?.useTestWallet(review);
  }

  connectedCallback(): void {
    for (const name of OPTION_NAMES) {
      // A property that was set before the element was defined hides the accessor.
      if (!Object.hasOwn(this, name)) continue;
      const value = (this as Record<string, unknown>)[name];
      delete (this as Record<string, unknown>)[name];
      this.#options[name] = value;
    }
    this.#name = this.id || nextName();
    taken.add(this.#name);
    this.#timer = setInterval(() => this.#app?.view !== 'picker' && this.#schedule(), 1000);
    this.#start();
    this.#sizes.observe(this);
  }

  disconnectedCallback(): void {
    clearInterval(this.#timer);
    this.#sizes.disconnect();
    taken.delete(this.#name);
    this.#app?.stop();
    this.#app = undefined;
  }

  attributeChangedCallback(attribute: string, _before: string | null, text: string | null): void {
    const name = ATTRIBUTES.get(attribute)!;
    this.#options[name] = readAttribute(name, text);
    if (attribute === 'theme' || attribute === 'layout') return;
    this.#reset();
  }

  getOption(name: keyof WidgetOptions): unknown {
    return this.#options[name];
  }

  setOption(name: keyof WidgetOptions, value: unknown): void {
    this.#options[name] = value;
    if (name === 'theme' || name === 'layout') this.setAttribute(name, String(value));
    else this.#reset();
  }

  #start(): void {
    const options = this.#options as WidgetOptions;
    const around = this.parentElement?.closest('[lang]')?.getAttribute('lang');
    const locale = nearestLocale(options.locale ? [options.locale] : around ? [around] : navigator.languages);
    const place = new Place(this.#name, options.resume !== 'none');
    const app = new App(options, { ...(wordsOf(locale) ?? en), ...options.texts }, place, () => this.#schedule(), (name, detail) => this.#fire(name, detail));
    this.#app = app;
    app.locale = locale;
    if (!wordsOf(locale)) {
      void loadWords(locale).then((words) => {
        app.words = { ...words, ...options.texts };
        this.#schedule();
      }).catch(() => {
        app.locale = 'en';
        this.#schedule();
      });
    }
    this.#render();
    // Nothing is asked for with options that change in the same turn, as when a framework sets them after it has put the element in place.
    queueMicrotask(() => this.#app === app && !this.#isReset && void app.start());
    // The first number takes a browser long, so one is written while the service is asked.
    setTimeout(() => showUsd(0, locale));
  }

  /** Other options make another widget; several that change together make one. */
  #reset(): void {
    if (!this.isConnected || !this.#app || this.#isReset) return;
    this.#isReset = true;
    queueMicrotask(() => {
      this.#isReset = false;
      if (!this.isConnected) return;
      this.#app?.stop();
      this.#start();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      if (this.#app) this.#render();
    });
  }

  #render(): void {
    const app = this.#app!;
    const root = this.shadowRoot!;
    const focused = root.activeElement as HTMLElement | null;
    this.dir = isRightToLeft(app.locale) ? 'rtl' : 'ltr';
    this.lang = app.locale;
    render(shell(app), root);
    const amounts = [...root.querySelectorAll<HTMLInputElement>('.amount')];
    // Measuring makes the browser lay out the page, so it is done only for other texts or another width.
    const texts = `${amounts.map(({ value }) => value)} ${root.querySelector('.panels')?.textContent}`;
    if (texts !== this.#fitted) amounts.forEach(fit);
    this.#fitted = texts;
    const view = app.view;
    if (view === this.#view) return;
    if (this.#view === 'form') this.#opener = focused?.id;
    this.#view = view;
    this.shadowRoot!.querySelector('.body')?.scrollTo(0, 0);
    // Whoever was in here stays in here; whoever was not is not pulled in.
    if (!focused) return;
    const back = view === 'form' && this.#opener ? root.getElementById(this.#opener) : null;
    const target = back ?? root.querySelector<HTMLElement>('[data-focus]') ?? root.querySelector<HTMLElement>('h2');
    target?.focus();
  }

  #fire<K extends keyof WidgetEvents>(name: K, detail: WidgetEvents[K]): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }
}

/** An amount that is longer than its place is written smaller, so that all of it can be read. */
function fit(box: HTMLElement): void {
  box.style.fontSize = '';
  const share = box.clientWidth / box.scrollWidth;
  if (share < 1) box.style.fontSize = `${Math.max(12, Math.floor(parseFloat(getComputedStyle(box).fontSize) * share))}px`;
}

/** The first widget of a page needs no name. */
function nextName(): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? '' : String(number);
    if (!taken.has(name)) return name;
  }
}

for (const name of OPTION_NAMES) {
  Object.defineProperty(CausewayWidget.prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: CausewayWidget) { return this.getOption(name); },
    set(this: CausewayWidget, value: unknown) { this.setOption(name, value); },
  });
}

/** Makes the tag known; the same twice changes nothing, and on a server nothing happens. */
export function defineWidget(tag = 'causeway-widget'): void {
  if (globalThis.customElements && !customElements.get(tag)) customElements.define(tag, CausewayWidget);
}
