import { VERSION } from './version.js';

/** What a client is made of. */
export interface ClientOptions {
  /** Where the swap API is; slashes at its end change nothing. */
  baseUrl: string;
  /** Where the fiat API is, if not at the same address. */
  fiatBaseUrl?: string | undefined;
  /** The origin that serves QR codes, if not that of `baseUrl`; a path in it is left out. */
  embedUrl?: string | undefined;
  /** Where QR codes are drawn, if not at `{embedUrl}/api/qrcode`; a relative path is one of the embed origin. */
  qrCodeApiUrl?: string | undefined;
  /** Makes the requests instead of the platform's own `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** For every request; they may replace those of the SDK. */
  headers?: HeadersInit | undefined;
  /** How many milliseconds a request may take, from asking to the last byte of the answer: 15 seconds unless told. */
  timeout?: number | undefined;
}

/** What one call may be told. */
export interface CallOptions {
  /** Ends the call with an `ApiAbortedError`. */
  signal?: AbortSignal | undefined;
  /** Milliseconds, instead of the client's. */
  timeout?: number | undefined;
}

/** A service, ready to be asked: the first argument of every action. */
export interface Client {
  readonly baseUrl: string;
  readonly fiatBaseUrl: string;
  readonly qrCodeApiUrl: string;
  readonly timeout: number;
  readonly headers: Headers;
  readonly fetch: typeof globalThis.fetch;
}

/** A client of the service at `baseUrl`; an address or header that cannot work is a `TypeError` at once. */
export function createClient(options: ClientOptions): Client {
  const baseUrl = address(options.baseUrl);
  const embedOrigin = new URL(address(options.embedUrl ?? baseUrl)).origin;
  const headers = new Headers({ 'X-SVC-SDK-Version': VERSION });
  new Headers(options.headers).forEach((value, name) => headers.set(name, value));
  const { fetch } = options;
  return {
    baseUrl,
    fiatBaseUrl: options.fiatBaseUrl === undefined ? baseUrl : address(options.fiatBaseUrl),
    qrCodeApiUrl: qrAddress(options.qrCodeApiUrl, embedOrigin),
    timeout: options.timeout ?? 15_000,
    headers,
    // Looked up at each call, and never called as a method: browsers refuse that.
    fetch: (input, init) => (fetch ?? globalThis.fetch)(input, init),
  };
}

function qrAddress(configured: string | undefined, embedOrigin: string): string {
  return address(new URL(configured ?? '/api/qrcode', embedOrigin).href);
}

function address(text: string): string {
  const bad = (problem: string) => new TypeError(`The base address ${JSON.stringify(text)} cannot be used: ${problem}.`);
  if (!/^\s*https?:\/\//i.test(text) || !URL.canParse(text)) throw bad('it must begin with http:// or https://');
  const { href, search, hash } = new URL(text);
  if (search || hash) throw bad('it must end before ? and #');
  return href.replace(/[?#]*$/, '').replace(/\/+$/, '');
}
