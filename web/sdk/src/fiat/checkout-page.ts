import { ServiceError } from '../errors.js';

/** A checkout shows a page, which only a browser's window can. */
export function needBrowser(): void {
  if (typeof window === 'undefined') throw new ServiceError('A checkout needs a browser.', 'SVC6007');
}

/** The address of a page; anything else, such as a script, is never shown. */
export function pageOf(url: string): string {
  if (!/^https?:/i.test(url)) throw new ServiceError('The order has no page to show.', 'SVC3003');
  return url;
}
