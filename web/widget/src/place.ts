/** What is going on, kept in the page's address: it survives a reload and can be opened on another device. */
export class Place {
  readonly #suffix: string;
  readonly #isOn: boolean;

  /** `name` tells several widgets of a page apart. */
  constructor(name: string, isOn: boolean) {
    this.#suffix = name ? `-${name}` : '';
    this.#isOn = isOn;
  }

  get(what: 'order' | 'purchase'): string | undefined {
    const id = this.#isOn ? new URL(location.href).searchParams.get(this.#key(what)) : null;
    return id && /^[\w-]{8,128}$/.test(id) ? id : undefined;
  }

  put(what: 'order' | 'purchase', id: string): void {
    this.#write((query) => query.set(this.#key(what), id));
  }

  clear(): void {
    this.#write(() => {});
  }

  #key(what: string): string {
    return `causeway-${what}${this.#suffix}`;
  }

  #write(change: (query: URLSearchParams) => void): void {
    if (!this.#isOn) return;
    const url = new URL(location.href);
    url.searchParams.delete(this.#key('order'));
    url.searchParams.delete(this.#key('purchase'));
    change(url.searchParams);
    if (url.href !== location.href) history.replaceState(history.state, '', url);
  }
}
