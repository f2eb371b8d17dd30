import { ServiceError } from '../errors.js';

/** Throws outside of a browser. */
export function requireBrowser(): void {
  if (typeof window === 'undefined') throw new ServiceError('A checkout requires a browser.', 'SVC6007');
}

/** Returns the URL if it is HTTP(S). Throws otherwise, so that a `javascript:` URL is never opened. */
export function checkPageUrl(url: string): string {
  if (!/^https?:/i.test(url)) throw new ServiceError('The order has no checkout page.', 'SVC3003');
  return url;
}
