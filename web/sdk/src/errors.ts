import type { Order } from './generated/types.js';

/** The number of an error's kind, the same in every SDK. */
export type ErrorCode =
  | 'SVC3001' | 'SVC3002' | 'SVC3003' | 'SVC3004' | 'SVC3005' | 'SVC3006' | 'SVC3007' | 'SVC3008' | 'SVC3009'
  | 'SVC6004' | 'SVC6005' | 'SVC6006' | 'SVC6007';

/** What is known of an error beyond its words. */
export interface ErrorDetails {
  /** The HTTP status of the answer. */
  status?: number;
  /** What was answered; a string where it was not JSON. */
  body?: unknown;
  /** How many milliseconds the service asks to be left alone. */
  retryAfter?: number;
  /** The order that ended without a fill. */
  order?: Order;
}

/** Everything that the SDK throws, except for arguments that cannot work. */
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

/** The request is malformed; the body's `details.issues` lists everything at once. */
export class ApiValidationError extends ServiceError { override name = 'ApiValidationError'; }
/** The request contradicts itself or what is; the body's `details.errorCode` tells which. */
export class BadRequestError extends ServiceError { override name = 'BadRequestError'; }
/** No such quote, or no such route in it. */
export class QuoteNotFoundError extends ServiceError { override name = 'QuoteNotFoundError'; }
/** Ask for a new quote. */
export class QuoteExpiredError extends ServiceError { override name = 'QuoteExpiredError'; }
/** The fillers answered, and none can fill; the body's `details.reasons` lists why. */
export class CannotFillError extends ServiceError { override name = 'CannotFillError'; }
/** The token is not known on that chain. */
export class NotSupportedTokenError extends ServiceError { override name = 'NotSupportedTokenError'; }
/** The chain is not known, or not enabled. */
export class NotSupportedChainError extends ServiceError { override name = 'NotSupportedChainError'; }
/** The route does not offer this way of depositing. */
export class NotSupportedDepositMethodError extends ServiceError { override name = 'NotSupportedDepositMethodError'; }
/** `from` is not the quote's `fromAddress`. */
export class UnexpectedFromAddressError extends ServiceError { override name = 'UnexpectedFromAddressError'; }
/** No such intent. */
export class IntentNotFoundError extends ServiceError { override name = 'IntentNotFoundError'; }
/** The deposit already belongs to another order. */
export class DuplicateRecordError extends ServiceError { override name = 'DuplicateRecordError'; }
/** The chain refused the signed transaction. */
export class BroadcastError extends ServiceError { override name = 'BroadcastError'; }
/** The service's own fault. */
export class InternalServerError extends ServiceError { override name = 'InternalServerError'; }

/** The fiat provider is unavailable; try again later, or another provider. */
export class FiatProviderError extends ServiceError { override name = 'FiatProviderError'; }
/** No provider sells for this amount; the body's `details.errors` lists the limits. */
export class FiatAmountError extends ServiceError { override name = 'FiatAmountError'; }

/** No complete answer came in time. */
export class ApiTimeoutError extends ServiceError {
  override name = 'ApiTimeoutError';

  constructor(timeout: number) {
    super(`The service did not answer within ${timeout} ms.`, 'SVC3002');
  }
}

/** The caller's signal ended the call. */
export class ApiAbortedError extends ServiceError {
  override name = 'ApiAbortedError';

  constructor() {
    super('The request was aborted.', 'SVC3009');
  }
}

/** Whether the same request may well succeed a little later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const { code, details } = error;
  const status = details?.status;
  if (code === 'SVC3002' || error instanceof InternalServerError) return true;
  if (status === undefined) return code === 'SVC3001';
  const open = error.name === 'ServiceError' || error instanceof FiatProviderError;
  return open && (status === 408 || status === 429 || status >= 500);
}
