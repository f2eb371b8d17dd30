/** The sandbox's wallet, for pages that are no part of the site's bundles. */
export { connectTestWallet } from '../../../widget/src/wallets/test-wallet.js';
