// What the SDK requires of an answer: the fields that the interface specification shows. All others are optional, in types and checks.

/** The required fields of each schema that answers hold; a schema that is not named requires nothing. */
const REQUIRED = {
  QuoteAnswer: ['quoteId', 'routes'],
  Route: ['routeId', 'quote'],
  StreamedRoute: ['quoteId', 'routeId', 'quote'],
  RouteQuote: ['amountIn', 'amountOut', 'expectedDurationSeconds'],
  ContractCallDeposit: ['approvals'],
  PermitDeposit: ['permit'],
  Transfer: ['depositAddress'],
  WalletApproval: ['request'],
  WalletRequest: ['method', 'params'],
  SolanaApproval: ['transaction'],
  SubmitAnswer: ['orderId'],
  Order: ['id', 'status'],
  OrderEvent: ['orderId'],
  FiatQuoteAnswer: ['quotes'],
  FiatQuote: ['quoteId', 'swapStrategy'],
  FiatRoute: ['routeId'],
  FiatOrderAnswer: ['orderId', 'widgetUrl', 'wrapperUrl'],
  FiatStatus: ['status', 'polling'],
  FiatPolling: ['suggestedIntervalMs', 'isTerminal'],
  // The specification shows none of these records: only what tells one from another is required.
  Chain: ['id'],
  Token: ['chainId', 'address'],
  FiatProvider: ['id'],
  FiatProviders: ['providers'],
  FiatOrder: ['orderId', 'status'],
  FiatOrderView: ['orderId', 'status'],
  Intent: ['intentId'],
  IntentSummary: ['intentId'],
  DepositAddressOrders: ['data'],
  DepositAddressOrder: ['orderId', 'status'],
  Filler: ['name'],
  // What a wallet signs is held against the terms, so terms are whole or missing.
  Terms: 'all',
};

/** The schemas whose values are checked where they are there, although they may be missing. */
const CHECKED = ['Approval', 'FiatQuote', 'FiatRoute', 'Terms', 'Transfer'];

export const isChecked = (name) => CHECKED.includes(name);

/** Reduces the schemas that answers hold to what is required of them. */
export function withRequired(schemas, answered) {
  for (const name of answered) {
    const schema = schemas[name];
    const required = /^(Page|Data)_/.test(name) ? ['data'] : REQUIRED[name] ?? [];
    reduce(schema, required);
    const { progress } = schema.properties ?? {};
    if (progress) schema.properties.progress = { description: progress.description };
  }
  // The specification leaves `progress` untyped, and wallets take parameters of any kind.
  schemas.WalletRequest.properties.params.items = {};
}

function reduce(schema, required) {
  if (required === 'all') return;
  for (const part of schema.allOf ?? []) if (!part.$ref) reduce(part, required);
  if (!schema.properties) return;
  schema.required = (schema.required ?? []).filter((field) => required.includes(field));
}
