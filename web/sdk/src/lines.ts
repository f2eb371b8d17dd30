import type { CallOptions, Client } from './client.js';
import { begin, reached, unlike, type Ask } from './request.js';
import { within } from './within.js';

/** Anything that the service sends takes a few hundred bytes; a line that does not end must not fill the caller's memory. */
const LONGEST = 2 ** 20;

/** An answer whose lines are read as they come. */
export interface Lines {
  response: Response;
  /** The lines in the pieces that they came in; `patience` is how long one wait may take. Whoever stops reading hangs up. */
  pieces(patience: number): AsyncGenerator<string[], void>;
  hangUp(): void;
}

/** Sends the request and returns once the answer begins. */
export async function open(client: Client, ask: Ask, options: CallOptions = {}): Promise<Lines> {
  const line = new AbortController();
  const hangUp = () => line.abort();
  try {
    const timeout = options.timeout ?? client.timeout;
    const response = await within(timeout, options.signal, () => begin(client, ask, line.signal));
    const next = pump(response);
    async function* pieces(patience: number): AsyncGenerator<string[], void> {
      try {
        for (;;) {
          const lines = await within(patience, options.signal, next);
          if (!lines) return;
          yield lines;
        }
      } finally {
        hangUp();
      }
    }
    return { response, pieces, hangUp };
  } catch (error) {
    hangUp();
    throw error;
  }
}

/**
 * Reads at once whatever comes, and hands it out piece by piece: a stream that breaks off forgets what nobody has taken yet, and lines
 * that came must not be lost.
 */
function pump(response: Response): () => Promise<string[] | undefined> {
  const pieces: string[][] = [];
  let end: Promise<undefined> | undefined;
  let wake = () => {};
  const read = async () => {
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    for (let done = !reader; !done;) {
      const chunk = await reached(reader!.read());
      done = chunk.done;
      const lines = (rest + decoder.decode(chunk.value, { stream: !done })).split(/\r?\n/);
      rest = done ? '' : lines.pop()!;
      if (rest.length > LONGEST) throw unlike(`A line of the answer is longer than ${LONGEST} characters.`);
      pieces.push(lines);
      wake();
    }
  };
  const over = (ended: Promise<undefined>) => {
    end = ended;
    ended.catch(() => {});
    wake();
  };
  read().then(() => over(Promise.resolve(undefined)), (error: unknown) => over(Promise.reject(error)));
  return async () => {
    while (pieces.length === 0) {
      if (end) return end;
      await new Promise<void>((resolve) => { wake = resolve; });
    }
    return pieces.shift();
  };
}
