export { checkRoute, planDeposit } from './check-deposit.js';
export { checkPayer } from './check-payer.js';
export { deposit } from './deposit.js';
