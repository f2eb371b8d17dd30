import { ServiceError } from './errors.js';

/** How often something is looked at, in milliseconds. */
export interface Pace {
  /** Between two looks: 2 seconds unless told, never less than half a second. */
  interval?: number | undefined;
  /** After an error that may pass: 5 seconds unless told, never less than half a second, and longer where the service asks for it. */
  retryDelay?: number | undefined;
}

/** Nothing is asked for more often than this. */
const FLOOR = 500;
/** No service is believed that wants to be left alone for longer than this. */
const LONGEST = 300_000;

/** The pace with its floor. */
export function pace({ interval = 2000, retryDelay = 5000 }: Pace) {
  const backoff = Math.max(retryDelay, FLOOR);
  return {
    floor: FLOOR,
    interval: Math.max(interval, FLOOR),
    /** How long to wait after an error that may pass. */
    after(error: unknown): number {
      const asked = error instanceof ServiceError ? error.details?.retryAfter : undefined;
      return Math.max(backoff, Math.min(asked ?? 0, LONGEST));
    },
  };
}
