import type { CallOptions, Client } from './client.js';
import { fetchHead, invalidResponse, wrapNetworkError, type ApiRequest } from './request.js';
import { withTimeout } from './timeout.js';

/** Lines of the service have a few hundred bytes; an endless line must not exhaust the caller's memory. */
const MAX_LINE_LENGTH = 2 ** 20;

/** A response whose body is read line by line while it arrives. */
export interface LineStream {
  head: Response;
  /** Yields the lines in the chunks in which they arrive. `timeout` limits each wait. Ending the iteration closes the connection. */
  chunks(timeout: number): AsyncGenerator<string[], void>;
  close(): void;
}

/** Sends the request and resolves with the response head. */
export async function openLineStream(client: Client, request: ApiRequest, options: CallOptions = {}): Promise<LineStream> {
  const connection = new AbortController();
  const close = () => connection.abort();
  try {
    const timeout = options.timeout ?? client.timeout;
    const head = await withTimeout(timeout, options.signal, () => fetchHead(client, request, connection.signal));
    const next = readAhead(head);
    async function* chunks(timeout: number): AsyncGenerator<string[], void> {
      try {
        for (;;) {
          const lines = await withTimeout(timeout, options.signal, next);
          if (!lines) return;
          yield lines;
        }
      } finally {
        close();
      }
    }
    return { head, chunks, close };
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Buffers everything that arrives and returns it chunk by chunk. A broken stream drops the data that was not read yet, and lines
 * that were received must not be lost.
 */
function readAhead(head: Response): () => Promise<string[] | undefined> {
  const chunks: string[][] = [];
  let end: Promise<undefined> | undefined;
  let wake = () => {};
  const read = async () => {
    const reader = head.body?.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    for (let done = !reader; !done;) {
      const chunk = await wrapNetworkError(reader!.read());
      done = chunk.done;
      const lines = (rest + decoder.decode(chunk.value, { stream: !done })).split(/\r?\n/);
      rest = done ? '' : lines.pop()!;
      if (rest.length > MAX_LINE_LENGTH) throw invalidResponse(`A line of the response is longer than ${MAX_LINE_LENGTH} characters.`);
      chunks.push(lines);
      wake();
    }
  };
  const finish = (result: Promise<undefined>) => {
    end = result;
    result.catch(() => {});
    wake();
  };
  read().then(() => finish(Promise.resolve(undefined)), (error: unknown) => finish(Promise.reject(error)));
  return async () => {
    while (chunks.length === 0) {
      if (end) return end;
      await new Promise<void>((resolve) => { wake = resolve; });
    }
    return chunks.shift();
  };
}
