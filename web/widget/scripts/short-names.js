/**
 * Properties of the widget's own objects, most used first. No answer, option, wallet or part of the browser has one of these names, and
 * no text is looked up by one.
 */
const PROPERTIES = [
  'catalog', 'changed', 'phase', 'choices', 'isLoading', 'tracker', 'familyOf', 'fiatQuotes', 'isExactOutput', 'isReady', 'receiver', 'isSource',
  'walletFamily', 'startOver', 'walletError', 'pickerSide', 'doubtful', 'isSandbox', 'isGasless', 'historyError', 'loadError', 'balanceOf',
  'setAmount', 'explorerLink', 'applySentence', 'showHistory', 'startTransfer', 'startPurchase', 'openPurchase', 'leaveReview', 'loadBalances',
  'forgetBalances', 'isLookAlike', 'setToken', 'setMost', 'addTestWallets', 'isOver', 'custody',
  'custodyOfOrder', 'hasPayees', 'contractsOf', 'trusts', 'say', 'withShortAddresses',
];

/** For esbuild: the same short names in every file. */
export const shortProperties = {
  mangleProps: new RegExp(`^(${PROPERTIES.join('|')})$`),
  mangleCache: Object.fromEntries(PROPERTIES.map((name, at) => [name, `${'$'.repeat(Math.floor(at / 26))}${String.fromCharCode(65 + (at % 26))}`])),
};
