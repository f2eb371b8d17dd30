import * as errors from './errors.js';
import { ServiceError, type ErrorCode, type ErrorDetails } from './errors.js';

type Class = new (message: string, code: ErrorCode, details: ErrorDetails) => ServiceError;

/** The class of each name that the service gives its refusals, and its number where that is not the first. */
const CLASSES: Record<string, [Class, ErrorCode?]> = {
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

/** The two refusals of the fiat API that have a class of their own, by the `code` in their details. */
const FIAT_CLASSES: Record<string, [Class, ErrorCode]> = {
  PROVIDER_UNAVAILABLE: [errors.FiatProviderError, 'SVC6004'],
  AMOUNT_OUT_OF_RANGE: [errors.FiatAmountError, 'SVC6005'],
};

/** An answer that is no success, as an error: the class is by its name, the words are the service's own. */
export function refusal(response: Response, text: string): ServiceError {
  const details = detailsOf(response, text);
  const location = response.headers.get('location');
  if (response.type === 'opaqueredirect' || (location !== null && response.status < 400)) {
    const to = location ?? 'another address';
    return new ServiceError(`The service sends its callers on to ${to}. Configure the address where it is.`, 'SVC3001', details);
  }
  const { name, message, details: more } = (Object(details.body)) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof message !== 'string') {
    const plain = /^text\/plain/i.test(response.headers.get('content-type') ?? '') && text.trim();
    const words = plain || `The service answered with status ${response.status} and did not say why.`;
    return new ServiceError(words, 'SVC3001', details);
  }
  const short = name.match(/^(.*)Exception$/)?.[1] ?? '';
  const [Refused, code] = entry(FIAT_CLASSES, (Object(more) as { code?: unknown }).code) ?? entry(CLASSES, short) ?? [ServiceError];
  return new Refused(message, code ?? 'SVC3001', details);
}

/** The raw answer. */
export function detailsOf(response: Response, text: string): ErrorDetails {
  const details: ErrorDetails = { status: response.status, body: text };
  try {
    details.body = JSON.parse(text);
  } catch {
    // It stays the text that it is.
  }
  // A date is no use to whom has another clock.
  const seconds = response.headers.get('retry-after')?.trim();
  if (seconds && /^\d+$/.test(seconds)) details.retryAfter = Number(seconds) * 1000;
  return details;
}

function entry<T>(table: Record<string, T>, key: unknown): T | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;
}
