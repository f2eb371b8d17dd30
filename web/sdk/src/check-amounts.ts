import type { Route } from './generated/types.js';
import { unlike } from './request.js';

/** People decide by these numbers: each must be one. */
export function checkAmounts({ routeId, quote }: Route, response: Response, text: string): void {
  for (const name of ['amountIn', 'amountOut', 'minAmountOut'] as const) {
    // The specification does not show the least output; what signs for a route demands it.
    if (/^\d+$/.test(quote[name] ?? (name === 'minAmountOut' ? '0' : ''))) continue;
    const what = `${name} of route ${JSON.stringify(routeId)} is ${JSON.stringify(quote[name])}, no integer`;
    throw unlike(`The answer is not what the contract says: ${what}.`, response, text);
  }
}
