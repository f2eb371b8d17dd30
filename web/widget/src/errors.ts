import { CannotFillError, isTransient, QuoteExpiredError, ServiceError, type FillerReason } from '@causeway/sdk';
import type { Say } from './i18n.js';

/** Whether the person said no in the wallet. */
export function isRejection(error: unknown): boolean {
  const { code, message } = Object((error as Error | undefined)?.cause ?? error) as { code?: unknown; message?: string };
  return code === 4001 || code === 'ACTION_REJECTED' || /user (rejected|denied|cancell?ed)|rejected the request/i.test(message ?? '');
}

interface Body {
  details?: { reasons?: FillerReason[]; issues?: { path?: string; message: string }[] };
}

/** The nearest amount that some filler would take, in raw units, where they refused for the amount alone. */
export function limitOf(error: unknown): { isLeast: boolean; raw: bigint } | undefined {
  if (!(error instanceof CannotFillError)) return undefined;
  const reasons = (Object(error.details?.body) as Body).details?.reasons ?? [];
  const numbers = (name: 'minimum' | 'maximum') => reasons.flatMap((reason) => (reason[name] && /^\d+$/.test(reason[name]) ? [BigInt(reason[name])] : []));
  const [least, most] = [numbers('minimum'), numbers('maximum')];
  if (least.length > 0) return { isLeast: true, raw: least.reduce((a, b) => (b < a ? b : a)) };
  return most.length > 0 ? { isLeast: false, raw: most.reduce((a, b) => (b > a ? b : a)) } : undefined;
}

/** What went wrong, and what can be done about it, in the person's language where we have the words and else in the service's. */
export function wordsOf(error: unknown, say: Say): string {
  if (isRejection(error)) return say('rejected');
  if (error instanceof QuoteExpiredError) return say('quoteExpired');
  if (!(error instanceof ServiceError)) return error instanceof Error ? error.message : say('unknownError');
  const { code, details } = error;
  if (code === 'SVC6006') return say('popupBlocked');
  if (code === 'SVC6007') return say('noBrowser');
  if (code === 'SVC3002') return say('timedOut');
  if (code === 'SVC3001' && details?.status === undefined && isTransient(error)) return say('unreachable');
  const { reasons, issues } = (Object(details?.body) as Body).details ?? {};
  if (error instanceof CannotFillError && reasons?.length) return [...new Set(reasons.map(({ reason }) => reason))].join(' ');
  if (issues?.length) return issues.map(({ message }) => message).join(' ');
  return error.message;
}

/** What the service says of a field of the request. */
export const issueOf = (error: unknown, field: string): string | undefined =>
  (Object((error as Partial<ServiceError> | undefined)?.details?.body) as Body).details?.issues?.find(({ path }) => path === field)?.message.replace(/^./, (letter) => letter.toUpperCase());

/** For hosts: an error's code and words. */
export function eventOf(error: unknown): { code: string; message: string } {
  const { code, message } = Object(error) as { code?: unknown; message?: string };
  return { code: typeof code === 'string' ? code : 'unknown', message: message ?? String(error) };
}
