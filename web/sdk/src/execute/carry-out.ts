export { beyond, limitOf, noRoute, unbounded } from './bound.js';
export { checkRoute, planDeposit } from './check-deposit.js';
export { checkPayer } from './check-payer.js';
export { trustedEscrow } from './contracts.js';
export { deposit } from './deposit.js';
