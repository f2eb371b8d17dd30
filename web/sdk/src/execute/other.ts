import type { ServiceError } from '../errors.js';
import { unlike } from '../request.js';

/** What differs from what was asked for, with both values. */
export const other = (what: string, is: unknown, asked: unknown, whose = 'deposit'): ServiceError =>
  unlike(`The ${whose} is not the one asked for: its ${what} is ${is}, not ${asked}.`);
