import type { Route } from './generated/types.js';
import { invalidResponse, type TextResponse } from './request.js';

/** Throws unless every amount of the route is an integer: users compare routes by these amounts. */
export function checkAmounts({ routeId, quote }: Route, response: TextResponse): void {
  for (const name of ['amountIn', 'amountOut', 'minAmountOut'] as const) {
    // `minAmountOut` is optional in the API; `executeSwap` requires it before anything is signed.
    if (/^\d+$/.test(quote[name] ?? (name === 'minAmountOut' ? '0' : ''))) continue;
    const problem = `${name} of route ${JSON.stringify(routeId)} is ${JSON.stringify(quote[name])}, expected an integer`;
    throw invalidResponse(`The response does not match the API schema: ${problem}.`, response);
  }
}
