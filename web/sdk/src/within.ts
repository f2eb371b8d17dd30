import { ApiAbortedError, ApiTimeoutError } from './errors.js';

/** Timers of longer than this fire at once. */
const LONGEST = 2 ** 31 - 1;

/** Waits for `work` until the time is over or the caller aborts, and then lets `work` know by its signal. */
export function within<T>(
  timeout: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new ApiAbortedError());
    const stop = new AbortController();
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const end = (error: Error) => {
      over();
      reject(error);
      stop.abort();
    };
    const abort = () => end(new ApiAbortedError());
    const timer = setTimeout(() => end(new ApiTimeoutError(timeout)), Math.min(timeout, LONGEST));
    signal?.addEventListener('abort', abort);
    work(stop.signal).then(resolve, reject).finally(over);
  });
}

/** Sleeps, unless the caller aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return within(LONGEST, signal, (stop) => new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(Math.max(ms, 0), LONGEST));
    stop.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }));
}
