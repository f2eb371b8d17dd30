import * as errors from './errors.js';
import { ServiceError, type ErrorCode, type ErrorDetails } from './errors.js';

type ErrorClass = new (message: string, code: ErrorCode, details: ErrorDetails) => ServiceError;

/** Error class and code by the `name` of the error, without `Exception`. The code defaults to `SVC3001`. */
const CLASSES: Record<string, [ErrorClass, ErrorCode?]> = {
  Validation: [errors.ApiValidationError],
  ZodValidation: [errors.ApiValidationError],
  BadRequest: [errors.BadRequestError],
  QuoteNotFound: [errors.QuoteNotFoundError, 'SVC3004'],
  QuoteExpired: [errors.QuoteExpiredError, 'SVC3005'],
  CannotFill: [errors.CannotFillError, 'SVC3004'],
  NotSupportedToken: [errors.NotSupportedTokenError],
  NotSupportedChain: [errors.NotSupportedChainError],
  NotSupportedDepositMethod: [errors.NotSupportedDepositMethodError, 'SVC3006'],
  UnexpectedFromAddress: [errors.UnexpectedFromAddressError, 'SVC3006'],
  IntentNotFound: [errors.IntentNotFoundError],
  DuplicateRecord: [errors.DuplicateRecordError],
  Broadcast: [errors.BroadcastError, 'SVC3007'],
  InternalError: [errors.InternalServerError],
};

/** Error class and code of fiat errors, by the `code` in their details. */
const FIAT_CLASSES: Record<string, [ErrorClass, ErrorCode]> = {
  PROVIDER_UNAVAILABLE: [errors.FiatProviderError, 'SVC6004'],
  AMOUNT_OUT_OF_RANGE: [errors.FiatAmountError, 'SVC6005'],
};

/** Converts an error response to an error, with the service's own message. */
export function apiError(head: Response, text: string): ServiceError {
  const details = detailsOf(head, text);
  const location = head.headers.get('location');
  if (head.type === 'opaqueredirect' || (location !== null && head.status < 400)) {
    const target = location ?? 'another URL';
    return new ServiceError(`The service redirects to ${target}. Configure the base URL without the redirect.`, 'SVC3001', details);
  }
  const { name, message, details: errorDetails } = (Object(details.body)) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof message !== 'string') {
    const plain = /^text\/plain/i.test(head.headers.get('content-type') ?? '') && text.trim();
    const fallback = `The service responded with status ${head.status} and no error message.`;
    return new ServiceError(plain || fallback, 'SVC3001', details);
  }
  const key = name.match(/^(.*)Exception$/)?.[1] ?? '';
  const fiatCode = (Object(errorDetails) as { code?: unknown }).code;
  const [ErrorType, code] = entry(FIAT_CLASSES, fiatCode) ?? entry(CLASSES, key) ?? [ServiceError];
  return new ErrorType(message, code ?? 'SVC3001', details);
}

/** Status, body and `Retry-After` of a response. */
export function detailsOf(head: Response, text: string): ErrorDetails {
  const details: ErrorDetails = { status: head.status, body: text };
  try {
    details.body = JSON.parse(text);
  } catch {
    // The body stays a string.
  }
  // Dates are ignored, because clocks differ.
  const seconds = head.headers.get('retry-after')?.trim();
  if (seconds && /^\d+$/.test(seconds)) details.retryAfter = Number(seconds) * 1000;
  return details;
}

function entry<T>(table: Record<string, T>, key: unknown): T | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;
}
