import { ApiAbortedError, ApiTimeoutError } from './errors.js';

/** The longest delay of a timer; a longer one fires immediately. */
const MAX_DELAY = 2 ** 31 - 1;

/** Runs `work` with a timeout and the caller's signal. Aborts the signal that it passes to `work` when either fires. */
export function withTimeout<T>(
  timeout: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new ApiAbortedError());
    const controller = new AbortController();
    const cleanUp = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (error: Error) => {
      cleanUp();
      reject(error);
      controller.abort();
    };
    const abort = () => fail(new ApiAbortedError());
    const timer = setTimeout(() => fail(new ApiTimeoutError(timeout)), Math.min(timeout, MAX_DELAY));
    signal?.addEventListener('abort', abort);
    work(controller.signal).then(resolve, reject).finally(cleanUp);
  });
}

/** Waits for `ms` milliseconds. Rejects if the caller aborts. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return withTimeout(MAX_DELAY, signal, (stop) => new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(Math.max(ms, 0), MAX_DELAY));
    stop.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }));
}
