import type { CallOptions, Client } from './client.js';
import { ServiceError } from './errors.js';
import { detailsOf, refusal } from './refusal.js';
import { mismatch, type Shape } from './shape.js';
import { within } from './within.js';

/** What is asked of the service. */
export interface Ask {
  url: string;
  method?: 'POST' | 'PUT';
  body?: unknown;
  headers?: Record<string, string>;
  /** Sends none of the client's headers: for addresses that are not the service's own. */
  plain?: boolean;
}

/** A whole answer. */
export interface Answer {
  response: Response;
  text: string;
}

/** Sends the request and returns the answer's head; a refusal is read to its end. */
export async function begin(client: Client, ask: Ask, signal: AbortSignal): Promise<Response> {
  const headers = new Headers(ask.headers);
  if (ask.body !== undefined) headers.set('content-type', 'application/json');
  if (!ask.plain) client.headers.forEach((value, name) => headers.set(name, value));
  const body = ask.body === undefined ? null : JSON.stringify(ask.body);
  // A redirect would carry the request, and perhaps a key in its headers, to a stranger.
  const init: RequestInit = { method: ask.method ?? 'GET', headers, body, signal, redirect: 'manual' };
  const response = await reached(client.fetch(ask.url, init));
  if (response.ok) return response;
  throw refusal(response, await reached(response.text()));
}

/** What the platform says of a connection, as an error of ours. */
export async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { message, cause } = Object(error) as Error;
    const words = (cause instanceof Error && cause.message) || message || String(error);
    throw new ServiceError(`The service could not be reached: ${words}.`, 'SVC3001', undefined, error);
  }
}

/** Asks, and reads the whole answer in time. */
export function answer(client: Client, ask: Ask, options: CallOptions = {}): Promise<Answer> {
  return within(options.timeout ?? client.timeout, options.signal, async (signal) => {
    const response = await begin(client, ask, signal);
    return { response, text: await reached(response.text()) };
  });
}

/** Asks for JSON of a shape. */
export async function json<T>(client: Client, ask: Ask, shape: Shape, options?: CallOptions): Promise<T> {
  return read(await answer(client, ask, options), shape);
}

/** The answer as the contract has it. */
export function read<T>({ response, text }: Answer, shape: Shape): T {
  const details = detailsOf(response, text);
  // Text that is not JSON stays a string, which no answer is.
  const problem = typeof details.body === 'string' ? 'it is not JSON' : mismatch(details.body, shape);
  if (problem) throw unlike(`The answer is not what the contract says: ${problem}.`, response, text);
  return details.body as T;
}

/** An answer that is not what the contract says. */
export function unlike(message: string, response?: Response, text = ''): ServiceError {
  return new ServiceError(message, 'SVC3003', response && detailsOf(response, text));
}

/** Asks for an SVG image. Another origin than the service's gets a plain GET: no header of the client is meant for it. */
export async function svg(client: Client, url: string, options?: CallOptions): Promise<string> {
  const plain = new URL(url).origin !== new URL(client.baseUrl).origin;
  const { response, text } = await answer(client, { url, plain }, options);
  if (/^image\/svg\+xml/i.test(response.headers.get('content-type') ?? '')) return text;
  throw unlike('The answer is not an SVG image.', response, text);
}
