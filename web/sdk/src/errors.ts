import type { Order, Warning } from './generated/types.js';

/** Error codes. They are the same in every SDK. */
export type ErrorCode =
  | 'SVC3001' | 'SVC3002' | 'SVC3003' | 'SVC3004' | 'SVC3005' | 'SVC3006' | 'SVC3007' | 'SVC3008' | 'SVC3009'
  | 'SVC6004' | 'SVC6005' | 'SVC6006' | 'SVC6007';

/** Further information about an error. */
export interface ErrorDetails {
  /** The HTTP status of the response. */
  status?: number;
  /** The response body: parsed JSON, or a string if it is not JSON. */
  body?: unknown;
  /** The response's `Retry-After`, in milliseconds. */
  retryAfter?: number;
  /** The order that was not filled. */
  order?: Order;
  /** The severe warnings that were not accepted. */
  warnings?: Warning[];
}

/** Base class of all errors that the SDK throws, except for `TypeError` on invalid arguments. */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(message: string, code: ErrorCode = 'SVC3001', details?: ErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

/** The request is malformed. `details.issues` of the body lists every problem. */
export class ApiValidationError extends ServiceError { override name = 'ApiValidationError'; }
/** The request is invalid. `details.errorCode` of the body says why. */
export class BadRequestError extends ServiceError { override name = 'BadRequestError'; }
/** There is no quote with this id, or it has no such route. */
export class QuoteNotFoundError extends ServiceError { override name = 'QuoteNotFoundError'; }
/** The quote has expired. Request a new one. */
export class QuoteExpiredError extends ServiceError { override name = 'QuoteExpiredError'; }
/** No filler can fill this request. `details.reasons` of the body lists why. */
export class CannotFillError extends ServiceError { override name = 'CannotFillError'; }
/** The token is not supported on this chain. */
export class NotSupportedTokenError extends ServiceError { override name = 'NotSupportedTokenError'; }
/** The chain is unknown or not enabled. */
export class NotSupportedChainError extends ServiceError { override name = 'NotSupportedChainError'; }
/** The route does not support this deposit method. */
export class NotSupportedDepositMethodError extends ServiceError { override name = 'NotSupportedDepositMethodError'; }
/** `from` is not the quote's `fromAddress`. */
export class UnexpectedFromAddressError extends ServiceError { override name = 'UnexpectedFromAddressError'; }
/** There is no intent with this id. */
export class IntentNotFoundError extends ServiceError { override name = 'IntentNotFoundError'; }
/** The deposit already belongs to another order. */
export class DuplicateRecordError extends ServiceError { override name = 'DuplicateRecordError'; }
/** The chain rejected the signed transaction. */
export class BroadcastError extends ServiceError { override name = 'BroadcastError'; }
/** The service failed to process the request. */
export class InternalServerError extends ServiceError { override name = 'InternalServerError'; }

/** The fiat provider is unavailable. Retry later or use another provider. */
export class FiatProviderError extends ServiceError { override name = 'FiatProviderError'; }
/** No provider accepts this amount. `details.errors` of the body lists the limits. */
export class FiatAmountError extends ServiceError { override name = 'FiatAmountError'; }

/** The response did not complete within the timeout. */
export class ApiTimeoutError extends ServiceError {
  override name = 'ApiTimeoutError';

  constructor(timeout: number) {
    super(`The service did not answer within ${timeout} ms.`, 'SVC3002');
  }
}

/** The call was aborted by the caller's signal. */
export class ApiAbortedError extends ServiceError {
  override name = 'ApiAbortedError';

  constructor() {
    super('The request was aborted.', 'SVC3009');
  }
}

/** Whether the same request may succeed when it is retried later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const { code, details } = error;
  const status = details?.status;
  if (code === 'SVC3002' || error instanceof InternalServerError) return true;
  if (status === undefined) return code === 'SVC3001';
  const isRetryable = error.name === 'ServiceError' || error instanceof FiatProviderError;
  // The first request with an idempotency key is still in progress: its answer comes later.
  const isInProgress = status === 409 && details?.retryAfter !== undefined;
  return isRetryable && (status === 408 || isInProgress || status === 429 || status >= 500);
}
