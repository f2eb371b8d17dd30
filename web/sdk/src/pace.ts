import { ServiceError } from './errors.js';

/** How often something is looked at, in milliseconds. */
export interface Pace {
  /** Between two looks: 2 seconds unless told. */
  interval?: number | undefined;
  /** After an error that may pass: 5 seconds unless told, and longer where the service asks for it. */
  retryDelay?: number | undefined;
}

/** The longest `Retry-After` that is respected. */
const LONGEST = 300_000;

/** The pace with its defaults. */
export function pace({ interval = 2000, retryDelay = 5000 }: Pace) {
  return {
    interval,
    /** How long to wait after an error that may pass. */
    after(error: unknown): number {
      const asked = error instanceof ServiceError ? error.details?.retryAfter : undefined;
      return Math.max(retryDelay, Math.min(asked ?? 0, LONGEST));
    },
  };
}
