import { ServiceError } from './errors.js';

/** How often an order or a purchase is polled, in milliseconds. */
export interface PollingOptions {
  /** Interval between polls. Defaults to 2,000. */
  interval?: number | undefined;
  /** Delay after a transient error. Defaults to 5,000. A longer `Retry-After` of the service takes precedence. */
  retryDelay?: number | undefined;
}

/** The longest `Retry-After` that is respected. */
const MAX_RETRY_AFTER = 300_000;

/** Applies the defaults. */
export function polling({ interval = 2000, retryDelay = 5000 }: PollingOptions) {
  return {
    interval,
    /** The delay after a transient error. */
    delayAfter(error: unknown): number {
      const retryAfter = error instanceof ServiceError ? error.details?.retryAfter : undefined;
      return Math.max(retryDelay, Math.min(retryAfter ?? 0, MAX_RETRY_AFTER));
    },
  };
}
