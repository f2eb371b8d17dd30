// The fields of a response that the SDK requires. All others are optional, in types and checks.

/** The required fields of each response schema. A schema that is not listed requires nothing. */
const REQUIRED = {
  QuoteAnswer: ['quoteId', 'routes'],
  Route: ['routeId', 'quote'],
  StreamedRoute: ['quoteId', 'routeId', 'quote'],
  RouteQuote: ['amountIn', 'amountOut', 'expectedDurationSeconds'],
  ContractCallDeposit: ['approvals'],
  PermitDeposit: ['permit'],
  Payment: ['depositAddress'],
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
  // Only the fields that identify these records are required.
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
  // Wallet requests are checked against the terms, so terms are complete or missing.
  Terms: 'all',
};

/** Schemas of optional values that are checked when present. */
const CHECKED = ['Approval', 'FiatQuote', 'FiatRoute', 'Payment', 'Terms', 'Transfer'];

export const isChecked = (name) => CHECKED.includes(name);

/** Reduces the required fields of the response schemas. */
export function withRequired(schemas, responseSchemas) {
  for (const name of responseSchemas) {
    const schema = schemas[name];
    const required = /^(Page|Data)_/.test(name) ? ['data'] : REQUIRED[name] ?? [];
    reduce(schema, required);
    const { progress } = schema.properties ?? {};
    if (progress) schema.properties.progress = { description: progress.description };
  }
  // `progress` and the parameters of wallet requests may have any type.
  schemas.WalletRequest.properties.params.items = {};
}

function reduce(schema, required) {
  if (required === 'all') return;
  for (const part of schema.allOf ?? []) if (!part.$ref) reduce(part, required);
  if (!schema.properties) return;
  schema.required = (schema.required ?? []).filter((field) => required.includes(field));
}
