import { VERSION } from './version.js';

/** Options of {@link createClient} and `createCauseway`. */
export interface ClientOptions {
  /** Base URL of the swap API. Trailing slashes are ignored. */
  baseUrl: string;
  /** Base URL of the fiat API. Defaults to `baseUrl`. */
  fiatBaseUrl?: string | undefined;
  /** Origin that serves QR codes. Defaults to the origin of `baseUrl`. A path is ignored. */
  embedUrl?: string | undefined;
  /** URL of the QR code API. Defaults to `{embedUrl}/api/qrcode`. A relative path is resolved against `embedUrl`. */
  qrCodeApiUrl?: string | undefined;
  /** Custom `fetch` implementation. Defaults to the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** API key of an integrator, sent as `x-api-key`. Quotes with it have its referrer and fee. */
  apiKey?: string | undefined;
  /** Headers of every request. They override the SDK's own. */
  headers?: HeadersInit | undefined;
  /** Timeout of a whole request, including the response body, in milliseconds. Defaults to 15,000. */
  timeout?: number | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, which then rejects with an `ApiAbortedError`. */
  signal?: AbortSignal | undefined;
  /** Timeout in milliseconds. Defaults to the client's. */
  timeout?: number | undefined;
}

/** Options of a call that changes something, which the service answers once for each key. */
export interface KeyedCallOptions extends CallOptions {
  /**
   * Sent as `Idempotency-Key`, 1 to 255 visible ASCII characters, new for each request: `crypto.randomUUID()`.
   * The same request with the same key within 24 hours gets the first answer again; another one is refused.
   */
  idempotencyKey?: string | undefined;
}

/** The first argument of every action. Create one with {@link createClient}. */
export interface Client {
  readonly baseUrl: string;
  readonly fiatBaseUrl: string;
  readonly qrCodeApiUrl: string;
  readonly timeout: number;
  readonly headers: Headers;
  readonly fetch: typeof globalThis.fetch;
}

/** Creates a client. Throws a `TypeError` if a URL or header is invalid. */
export function createClient(options: ClientOptions): Client {
  const baseUrl = normalize(options.baseUrl);
  const embedOrigin = new URL(normalize(options.embedUrl ?? baseUrl)).origin;
  const headers = new Headers({ 'X-SVC-SDK-Version': VERSION });
  if (options.apiKey !== undefined) headers.set('x-api-key', options.apiKey);
  new Headers(options.headers).forEach((value, name) => headers.set(name, value));
  const { fetch } = options;
  return {
    baseUrl,
    fiatBaseUrl: options.fiatBaseUrl === undefined ? baseUrl : normalize(options.fiatBaseUrl),
    qrCodeApiUrl: resolveQrUrl(options.qrCodeApiUrl, embedOrigin),
    timeout: options.timeout ?? 15_000,
    headers,
    // Resolved at each call, and not called as a method of another object: browsers reject that.
    fetch: (input, init) => (fetch ?? globalThis.fetch)(input, init),
  };
}

function resolveQrUrl(configured: string | undefined, embedOrigin: string): string {
  return normalize(new URL(configured ?? '/api/qrcode', embedOrigin).href);
}

function normalize(text: string): string {
  const invalid = (problem: string) => new TypeError(`Invalid base URL ${JSON.stringify(text)}: ${problem}.`);
  if (!/^\s*https?:\/\//i.test(text) || !URL.canParse(text)) throw invalid('it must start with http:// or https://');
  const { href, search, hash } = new URL(text);
  if (search || hash) throw invalid('it must not have a query or fragment');
  return href.replace(/[?#]*$/, '').replace(/\/+$/, '');
}
