import { ServiceError } from '../errors.js';
import type { Warning } from '../generated/types.js';

/** The codes of the severe warnings that the caller accepts, or a function that decides about each. */
export type AcceptWarnings = readonly string[] | ((warning: Warning) => boolean | Promise<boolean>);

/** The error for severe warnings that are not accepted, if there are any. */
export async function warningError(warnings: readonly Warning[] | null | undefined, accept: AcceptWarnings = []): Promise<ServiceError | undefined> {
  const refused: Warning[] = [];
  for (const warning of warnings ?? []) {
    const isAccepted = warning.severity !== 'severe' || (typeof accept === 'function' ? await accept(warning) : accept.includes(warning.code ?? ''));
    if (!isAccepted) refused.push(warning);
  }
  const texts = refused.map(({ code, message }) => `${code}: ${message}`).join(' ');
  return texts ? new ServiceError(`A severe warning was not accepted: ${texts}`, 'SVC3004', { warnings: refused }) : undefined;
}
