// The checks before signing, loaded when a swap starts.
export { followBatch } from './batch.js';
export { checkRoute, planDeposit } from './check-deposit.js';
export { checkPayer } from './check-payer.js';
export { trustedEscrow } from './contracts.js';
export { deposit } from './deposit.js';
export { limitOf, missingBound, noAcceptableRoute, violation } from './price-bound.js';
export { wrapWalletError } from './wallet-request.js';
