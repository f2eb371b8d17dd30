import { apiError, detailsOf } from './api-error.js';
import type { CallOptions, Client, KeyedCallOptions } from './client.js';
import { ServiceError } from './errors.js';
import { mismatch, type Shape } from './shape.js';
import { withTimeout } from './timeout.js';

/** A request to the service. */
export interface ApiRequest {
  url: string;
  method?: 'POST' | 'PUT';
  body?: unknown;
  headers?: Record<string, string>;
  /** Omits the client's headers, for URLs of other origins. */
  omitClientHeaders?: boolean;
}

/** A response with its body as text. */
export interface TextResponse {
  head: Response;
  text: string;
}

/** Sends the request and returns the response head. Throws on an error status, after reading the error body. */
export async function fetchHead(client: Client, request: ApiRequest, signal: AbortSignal): Promise<Response> {
  const headers = new Headers(request.headers);
  if (request.body !== undefined) headers.set('content-type', 'application/json');
  if (!request.omitClientHeaders) client.headers.forEach((value, name) => headers.set(name, value));
  const body = request.body === undefined ? null : JSON.stringify(request.body);
  // A redirect would forward the request, and perhaps credentials in its headers, to another host.
  const init: RequestInit = { method: request.method ?? 'GET', headers, body, signal, redirect: 'manual' };
  const head = await wrapNetworkError(client.fetch(request.url, init));
  if (head.ok) return head;
  throw apiError(head, await wrapNetworkError(head.text()));
}

/** Converts an error of `fetch` to a `ServiceError`. */
export async function wrapNetworkError<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    const { message, cause } = Object(error) as Error;
    const reason = (cause instanceof Error && cause.message) || message || String(error);
    throw new ServiceError(`The service could not be reached: ${reason}.`, 'SVC3001', undefined, error);
  }
}

/** Sends the request and reads the whole response within the timeout. */
export function send(client: Client, request: ApiRequest, options: CallOptions = {}): Promise<TextResponse> {
  return withTimeout(options.timeout ?? client.timeout, options.signal, async (signal) => {
    const head = await fetchHead(client, request, signal);
    return { head, text: await wrapNetworkError(head.text()) };
  });
}

/** Sends the request and parses the response as JSON of the given shape. */
export async function json<T>(client: Client, request: ApiRequest, shape: Shape, options?: CallOptions): Promise<T> {
  return parse(await send(client, request, options), shape);
}

/** Like {@link json}, with the call's `Idempotency-Key`. */
export async function jsonOnce<T>(client: Client, request: ApiRequest, shape: Shape, options?: KeyedCallOptions): Promise<T> {
  const key = options?.idempotencyKey;
  return json(client, key === undefined ? request : { ...request, headers: { 'Idempotency-Key': key } }, shape, options);
}

/** Parses a response as JSON and checks its shape. */
export function parse<T>(response: TextResponse, shape: Shape): T {
  const { body } = detailsOf(response.head, response.text);
  // Text that is not JSON stays a string, and no response of the API is a JSON string.
  const problem = typeof body === 'string' ? 'it is not JSON' : mismatch(body, shape);
  if (problem) throw invalidResponse(`The response does not match the API schema: ${problem}.`, response);
  return body as T;
}

/** The error for a response that does not match the API schema or the request. */
export function invalidResponse(message: string, response?: TextResponse): ServiceError {
  return new ServiceError(message, 'SVC3003', response && detailsOf(response.head, response.text));
}

/** Fetches an SVG image. The client's headers are sent only to the origin of the service. */
export async function svg(client: Client, url: string, options?: CallOptions): Promise<string> {
  const omitClientHeaders = new URL(url).origin !== new URL(client.baseUrl).origin;
  const response = await send(client, { url, omitClientHeaders }, options);
  if (/^image\/svg\+xml/i.test(response.head.headers.get('content-type') ?? '')) return response.text;
  throw invalidResponse('The response is not an SVG image.', response);
}
