import type { ServiceError } from '../errors.js';
import { invalidResponse } from '../request.js';

/** The error for a field that differs from the request, with both values. */
export const mismatchError = (name: string, actual: unknown, expected: unknown, subject = 'deposit'): ServiceError =>
  invalidResponse(`The ${subject} does not match the request: ${name} is ${actual}, expected ${expected}.`);
