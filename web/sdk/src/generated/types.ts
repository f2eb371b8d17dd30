// Generated from the API document by `npm run types`. Do not edit.

/** One action for a wallet. */
export type Approval = WalletApproval & {
  type: "eip1193_request";
} | SolanaApproval & {
  type: "solana_sendTransaction";
};

/** The attested outcome of an intent. */
export type AttestedOutcome = "filled" | "unfilled";

/** The interpretation of a partial input, and completions. */
export interface Autocomplete {
  data: AutocompleteItem[];
  /** What is still missing: `amount`, `token`, `chain`, `toToken`. */
  nextSlots: string[];
  /** The interpretation as text. */
  parsed: string;
}

export interface AutocompleteItem {
  /** Raw units of `token`. */
  amount?: string | null | undefined;
  chain: Chain;
  description: string;
  fromToken?: Token | null | undefined;
  toToken?: Token | null | undefined;
  token: Token;
  /** Dollars with two digits after the point, where a price is known. */
  usdAmount?: string | null | undefined;
}

export interface BlockExplorer {
  name: string;
  url: string;
}

/** Block explorers by purpose. */
export interface BlockExplorers {
  default: BlockExplorer;
}

/** How to deposit, by deposit method. */
export type BuildAnswer = ContractCallDeposit & {
  kind: "CONTRACT_CALL";
} | PermitDeposit & {
  kind: "PERMIT2";
} | TransferDeposit & {
  kind: "TRANSFER";
};

/** Which route to deposit for, and how. */
export interface BuildAsk {
  /** `CONTRACT_CALL` (by default), `PERMIT2` or `TRANSFER`. */
  depositMethod?: string | null | undefined;
  /** The quote's `fromAddress`. */
  from: string;
  quoteId: string;
  /** Defaults to the quote's. */
  recipient?: string | null | undefined;
  /** Defaults to the quote's. */
  refundTo?: string | null | undefined;
  routeId: string;
}

/** A supported chain. */
export interface Chain {
  blockExplorers: BlockExplorers;
  caip2: string;
  depositMethods: string[];
  enabled: boolean;
  explorerUrl: string;
  /** Absolute URL of the chain's icon. */
  icon: string;
  id: number;
  name: string;
  nativeCurrency: NativeCurrency;
  rpcUrls: RpcUrls;
  /** `eip155` or `solana`. */
  type: string;
}

/** A deposit that the payer's wallet sends. */
export type ContractCallDeposit = FrozenOrder & {
  /** In this order; exactly one has `deposit: true`. */
  approvals: Approval[];
  intentId: string;
};

/** A whole list in the envelope that pages use. */
export interface Data_Suggestion {
  data: Suggestion[];
}

/** A whole list in the envelope that pages use. */
export interface Data_Token {
  data: Token[];
}

/** An order with a deposit address. */
export interface DepositAddressOrder {
  createdAt: string;
  depositAddress: string;
  depositTxHash?: string | null | undefined;
  errorMessage?: string | null | undefined;
  intentId: string;
  /** The deposit address with its CAIP-2 chain. */
  odaId: string;
  orderId: string;
  refundTo?: string | null | undefined;
  refundTxHash?: string | null | undefined;
  status: string;
  /**
   * `awaiting_deposit`, `awaiting_more`, `sweeping`, `asking_filler`, `filling`, `filled`, `refunding`, `refunded` or
   * `expired`.
   */
  step: string;
  updatedAt: string;
  /** Unix seconds. */
  validBefore?: number | null | undefined;
}

/** The orders of a deposit address, and what has arrived there. */
export interface DepositAddressOrders {
  data: DepositAddressOrder[];
  observedDeposits: ObservedDeposit[];
}

/** The body of every error. */
export interface ErrorBody {
  details?: Record<string, unknown> | null | undefined;
  /** What to change, for people. */
  message: string;
  name: ErrorName;
}

/** The error names of the API. */
export type ErrorName = "ValidationException" | "BadRequestException" | "UnexpectedFromAddressException" | "UnauthorizedException" | "ScreeningException" | "QuoteNotFoundException" | "IntentNotFoundException" | "OrderNotFoundException" | "NotFoundException" | "MethodNotAllowedException" | "DuplicateRecordException" | "QuoteExpiredException" | "PayloadTooLargeException" | "NotSupportedTokenException" | "NotSupportedChainException" | "NotSupportedDepositMethodException" | "CannotFillException" | "RateLimitedException" | "InternalErrorException" | "BroadcastException";

/** One component of the difference between input and output. */
export interface Fee {
  /** Raw units of `token`. */
  amount: string;
  /** `filler`, `gas`, `referrer` or `protocol`. */
  kind: string;
  /** The token's identifier string. */
  token: string;
  usd?: string | null | undefined;
}

/** What the payer does next. */
export interface FiatAction {
  /** `wrapper`: show the page at `url`. */
  type: string;
  url: string;
}

/** A token by its chain and address. */
export interface FiatAsset {
  address: string;
  chainId: number;
}

/** The capabilities of a provider. */
export interface FiatCapabilities {
  /** Of `estimate` and `firm`. */
  quoteKinds: string[];
  supportedFiatCurrencies: string[];
  supportedPaymentMethods: string[];
  supportsStatusPolling: boolean;
  supportsWebhook: boolean;
}

/** The capabilities of the fiat API. */
export interface FiatConfig {
  /** The path prefix of the operations. */
  basePath: string;
  contractVersion: number;
  features: FiatFeatures;
  jump: FiatJump;
  providers: FiatProviderConfig[];
}

/** Display data of a provider. */
export interface FiatDisplay {
  logoUrl?: string | null | undefined;
  name: string;
}

/** The error body of the fiat API, which combines the envelopes of both API generations. */
export interface FiatErrorBody {
  details?: Record<string, unknown> | null | undefined;
  error: FiatFault;
  /** What to change, for people. */
  message: string;
  name: ErrorName;
}

/** The error codes of the fiat API. */
export type FiatErrorCode = "VALIDATION_ERROR" | "QUOTE_INVALID" | "ORDER_NOT_FOUND" | "ORIGIN_NOT_ALLOWED" | "STATE_CONFLICT" | "RATE_LIMITED" | "SCREENED" | "INTERNAL_ERROR" | "QUOTE_EXPIRED" | "UNSUPPORTED_ASSET" | "NO_ROUTE" | "PROVIDER_DISABLED" | "PROVIDER_UNAVAILABLE" | "WEBHOOK_REJECTED" | "PAYLOAD_TOO_LARGE";

/** Why a purchase failed. */
export interface FiatFailure {
  /** For people. */
  message?: string | null | undefined;
  /** Stable, for programs. */
  reason: string;
  /** `provider`, `swap` or `service`. */
  source: string;
}

/** The newer envelope of an error. */
export interface FiatFault {
  code: FiatErrorCode;
  details?: Record<string, unknown> | null | undefined;
  message: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
}

/** The available operations. */
export interface FiatFeatures {
  order: boolean;
  quote: boolean;
}

/** A fee included in the payment. */
export interface FiatFee {
  /** In the currency of the quote. */
  amount: string;
  /** `provider`, `network` or `partner`. */
  kind: string;
}

/** Whether tokens can be bought that no provider sells, and over which stablecoin. */
export interface FiatJump {
  enabled: boolean;
  intermediateAsset?: FiatAsset | null | undefined;
}

/** Minimum and maximum payment, fees included; decimals with all digits of the currency. */
export interface FiatLimit {
  fiatCurrency: string;
  max: string;
  min: string;
}

/** A purchase as listed for a wallet. */
export type FiatOrder = FiatOrderView & {
  /** Lower case on EVM chains. */
  author: string;
  polling: FiatPolling;
  recipient: string;
};

/** An order and the next step of its payer. */
export interface FiatOrderAnswer {
  action: FiatAction;
  orderId: string;
  provider: string;
  status: string;
  /** The provider's checkout page. */
  widgetUrl: string;
  /** Our wrapper page around it, which posts events to its opener and parent. */
  wrapperUrl: string;
}

/** Creates an order from a quote. The author is in `author` or in `metadata.author`. */
export interface FiatOrderAsk {
  /** The wallet whose order list contains the order. */
  author?: string | null | undefined;
  /** Stored with the order and never sent to a provider; at most 4 KiB of JSON. */
  metadata?: Record<string, unknown> | null | undefined;
  quoteId: string;
  /** Where the stablecoin of a jump is returned if it cannot be swapped; defaults to the recipient. */
  refundTo?: string | null | undefined;
  /** One of a jump's routes; the best one by default. */
  routeId?: string | null | undefined;
}

/** A purchase with all its data. */
export interface FiatOrderView {
  action?: FiatAction | null | undefined;
  createdAt: string;
  /** The deposit address of a jump. */
  depositAddress?: string | null | undefined;
  /** Raw units of the target. */
  expectedOutputAmount?: string | null | undefined;
  failure?: FiatFailure | null | undefined;
  fiatAmount: string;
  fiatCurrency: string;
  /** The transaction that delivered the target to the recipient. */
  fillTxHash?: string | null | undefined;
  orderId: string;
  /** What the recipient received, in raw units of the target. */
  outputAmount?: string | null | undefined;
  outputAsset: FiatAsset;
  progress: string;
  provider: string;
  recovery?: JumpRecovery | null | undefined;
  /** Where a jump's funds are returned if they cannot be swapped. */
  refundTo?: string | null | undefined;
  /** The transaction that returned a jump's funds to `refundTo`. */
  refundTxHash?: string | null | undefined;
  status: string;
  /** The swap that took a jump's funds. */
  swapOrderId?: string | null | undefined;
  swapStrategy: string;
  terminal: boolean;
  terms?: JumpTerms | null | undefined;
  /** The provider's delivery: to the recipient, or to a jump's deposit address. */
  transferTxHash?: string | null | undefined;
  updatedAt: string;
}

/** When to poll again. */
export interface FiatPolling {
  isTerminal: boolean;
  /** 0 once the order is terminal. */
  suggestedIntervalMs: number;
}

/** A provider with its chains, currencies and limits. */
export interface FiatProvider {
  /** ISO 3166 codes; absent where it serves all countries. */
  countries?: string[] | null | undefined;
  /** ISO 4217 codes. */
  fiatCurrencies: string[];
  id: string;
  limits: FiatLimit[];
  /** Absolute URL. */
  logoUrl?: string | null | undefined;
  name: string;
  paymentMethods: PaymentMethod[];
  /** The chains that it delivers on. */
  supportedChainIds: number[];
}

/** A provider's configuration for clients. */
export interface FiatProviderConfig {
  capabilities: FiatCapabilities;
  display: FiatDisplay;
  id: string;
}

/** Why one provider has no offer. */
export interface FiatProviderError {
  /** Stable, for programs. */
  code: string;
  /** For people. */
  message: string;
  provider: string;
  retryable: boolean;
}

/** All providers. */
export interface FiatProviders {
  providers: FiatProvider[];
}

/** One provider's offer. */
export interface FiatQuote {
  /** What is received, in raw units of the target. */
  cryptoAmount: string;
  /** Raw units of the target. */
  expectedOutputAmount: string;
  /** Unix seconds; an order is not created after it. */
  expiresAt: number;
  fees?: FiatFee[] | undefined;
  /** What is paid, fees included. */
  fiatAmount: string;
  fiatCurrency: string;
  /** `estimate` or `firm`. */
  kind: string;
  maxFiatAmount?: string | null | undefined;
  minFiatAmount?: string | null | undefined;
  /** Raw units of the target; less is never delivered. */
  minOutputAmount: string;
  /** The target. */
  outputAsset: FiatAsset;
  paymentMethods?: PaymentMethod[] | null | undefined;
  provider: string;
  providerLogoUrl?: string | null | undefined;
  providerName: string;
  quoteId: string;
  /** Swap routes from the stablecoin to the target, best first; present only for a jump. */
  routes?: FiatRoute[] | null | undefined;
  slippageBps?: number | null | undefined;
  /** `direct` where the provider delivers the target itself, `jump` where a swap follows. */
  swapStrategy: string;
  token?: Token | null | undefined;
  /** The sum of `fees`, in the currency. */
  totalFee: string;
}

/** The providers' offers, best output first, and why others have none. */
export interface FiatQuoteAnswer {
  errors?: FiatProviderError[] | undefined;
  quotes: FiatQuote[];
}

/**
 * What somebody wants to buy. The target stands in `toChainId` and `toToken` or in `outputAsset`, the wallet in
 * `recipient` or `walletAddress`; exactly one of `fiatAmount` and `cryptoAmount` is given.
 */
export interface FiatQuoteAsk {
  /** ISO 3166: `DE`, or with a subdivision `US-NY`. */
  country?: string | null | undefined;
  /** What is to be received, exactly: raw units of the target. */
  cryptoAmount?: string | null | undefined;
  /** What is paid, fees included: a decimal with at most the currency's digits. */
  fiatAmount?: string | null | undefined;
  /** ISO 4217, in capitals. */
  fiatCurrency: string;
  outputAsset?: FiatAsset | null | undefined;
  paymentMethod?: string | null | undefined;
  /** Use this provider only. */
  provider?: string | null | undefined;
  /** Who receives; of the target chain's family. */
  recipient?: string | null | undefined;
  /** Where the stablecoin of a jump is returned if it cannot be swapped; defaults to the recipient. */
  refundTo?: string | null | undefined;
  /** Maximum slippage of a jump, in basis points; 0 to 5000. */
  slippageBps?: number | null | undefined;
  toChainId?: number | null | undefined;
  toToken?: string | null | undefined;
  walletAddress?: string | null | undefined;
}

/** A line of a streamed response. */
export type FiatQuoteLine = {
  quote: FiatQuote;
} | {
  error: FiatProviderError;
};

/** A swap route from the stablecoin to the target. */
export interface FiatRoute {
  quote: RouteQuote;
  /** The id of the route within its quote. */
  routeId: string;
  /** The kind of filler: `native-filler`, `rfq`, … */
  type: string;
}

/** The status of a purchase. */
export interface FiatStatus {
  /** Stable, for programs. */
  errorReason?: string | null | undefined;
  /** For people. */
  failedReason?: string | null | undefined;
  /** The transaction that delivered the target to the recipient. */
  fillTxHash?: string | null | undefined;
  orderId: string;
  polling: FiatPolling;
  /** `awaiting_payment`, `payment_processing`, `settling`, or the terminal status. */
  progress: string;
  provider: string;
  /** `created`, `pending`, `processing`, `completed`, `failed`, `canceled` or `expired`. */
  status: string;
  /** The swap that took a jump's funds. */
  swapOrderId?: string | null | undefined;
  /** `direct` or `jump`. */
  swapStrategy: string;
}

/** The result of a provider's webhook. */
export interface FiatWebhookAnswer {
  /** `accepted`, `duplicate`, `unknown_order` or `rejected`. */
  outcome: string;
}

/** A message that the wrapper page posts to its parent and to its opener. */
export interface FiatWidgetEvent {
  data?: Record<string, unknown> | null | undefined;
  /** `widget_ready`, `order_created`, `order_processing`, `order_completed`, `order_failed` or `widget_close`. */
  event: string;
  orderId: string;
  provider: string;
  providerOrderId?: string | null | undefined;
  /** Always `FIAT_WIDGET_EVENT`. */
  type: string;
}

/** A filler and its health. */
export interface Filler {
  fills: FillerFills;
  /** `healthy`, `degraded` (recent failures) or `open` (paused by the circuit breaker after repeated failures). */
  health: string;
  /** `native-filler`, `rfq`, `oif`, …; the `type` of its routes. */
  kind: string;
  name: string;
  /** Why the operator paused it, if paused. */
  paused?: string | null | undefined;
  quotes: FillerQuotes;
  reputation?: FillerReputation | null | undefined;
}

/** Order counts of a filler, over all replicas. */
export interface FillerFills {
  /** No deposit arrived. */
  failed: number;
  filled: number;
  /** Neither filled nor refunded yet. */
  open: number;
  refunded: number;
}

/** Request counts of a filler since the service started. */
export interface FillerQuotes {
  asked: number;
  faulted: number;
  /** Milliseconds, over its latest responses. */
  medianMs?: number | null | undefined;
  offered: number;
  refused: number;
  /** Skipped, because its queue was full or its circuit breaker was open. */
  skipped: number;
  timedOut: number;
  /** Quotes in which its offer ranked first. */
  won: number;
}

/** Why one filler has no offer, as `details.reasons` of a `CannotFillException` lists it. */
export interface FillerReason {
  filler: string;
  /** The maximum, in raw units of the requested amount's token. */
  maximum?: string | null | undefined;
  /** The minimum, in raw units of the requested amount's token. */
  minimum?: string | null | undefined;
  /** For people. */
  reason: string;
}

/** Statistics of a filler's recent orders; they break ties between equal offers. */
export interface FillerReputation {
  /** The share of those that it filled, from 0 to 1. */
  fillRate?: number | null | undefined;
  /** Seconds between the blocks of deposit and fill. */
  medianFillSeconds?: number | null | undefined;
  /** Its orders of the last 30 days that were deposited and have ended. */
  orders: number;
  /** By how many basis points its offers beat the median of all offers for the same requests. */
  priceBps?: number | null | undefined;
  /** Consecutive recent orders that were refunded because it did not fill; from three on it is paused for a while. */
  unfilledInARow: number;
}

/** Data of the order that every built deposit includes, for clear signing and for a refund without the service. */
export interface FrozenOrder {
  recovery: Recovery;
  /** A plain sentence for each action. */
  summary: string[];
  terms: Terms;
}

/** The hub's contracts. */
export interface HubConfig {
  chainId: number;
  contract: HubContracts;
  /** The service's own public address. */
  medusaURL: string;
}

/** Contract addresses; one contract may have several names. */
export interface HubContracts {
  /** The attester registry. */
  accessManager: string;
  /** The escrow of each chain, by chain id. */
  assetReserves: Record<string, string>;
  crossChainIntentBook: string;
  /** The deposit-address factory of each chain, by chain id. */
  depositor?: Record<string, string> | undefined;
  /** The hub's settler. */
  gateway: string;
  /** The attester registry. */
  hyperlaneVerifier: string;
  intentBook: string;
  intentLib?: string | null | undefined;
  /** The vault factory. */
  mTokenManager: string;
  mTokenRegistry: string;
  mTokenVaultFactory: string;
  stableAssetRateProvider?: string | null | undefined;
  vaultLib?: string | null | undefined;
}

/** An intent with its deposits. */
export type Intent = IntentSummary & {
  deposits: IntentDeposit[];
};

/** Attestations of an intent: the arguments of the escrow's `claim` or `refundUnfilled`. */
export interface IntentAttestations {
  /** The chain of the escrow. */
  chainId: number;
  /** A destination chain time past the fill deadline at which the order was not filled. */
  destinationTime?: string | null | undefined;
  /** The attester epoch of the signers. */
  epoch: string;
  /** Reference of the fill; zero where the escrow checks it itself. */
  fillRef?: string | null | undefined;
  /** The destination chain's time of the fill, in Unix seconds. */
  filledAt?: string | null | undefined;
  intentId: string;
  outcome: AttestedOutcome;
  /** In ascending order of their signers, as the escrow requires; empty where both sides are on one chain. */
  signatures: string[];
}

/** A confirmed or submitted deposit of an intent. */
export interface IntentDeposit {
  /** Raw units. */
  amountIn: string;
  chainId: number;
  /** When its block was final. */
  confirmedAt?: string | null | undefined;
  createdAt: string;
  id: number;
  inputToken: string;
  intentId: string;
  txHash: string;
}

/** The state of an intent. */
export type IntentState = "NonExistent" | "Open" | "Locked" | "Solved" | "Settled" | "Expired" | "Cancelled" | "Error";

/** An order as identified on chain. */
export interface IntentSummary {
  /** Who deposits; lower case on EVM chains. */
  author: string;
  createdAt: string;
  /** Raw units. */
  destAmount: string;
  filledAt?: string | null | undefined;
  fromChainId: number;
  fromToken: string;
  intentId: string;
  openedAt?: string | null | undefined;
  settledAt?: string | null | undefined;
  /** Raw units. */
  srcAmount: string;
  state: IntentState;
  toChainId: number;
  toToken: string;
}

/** One problem of a request; a `ValidationException` lists all of them in `details.issues`. */
export interface Issue {
  message: string;
  /** Which parameter or field. */
  path: string;
}

/** How to refund a jump without the service. */
export interface JumpRecovery {
  chainId: number;
  /** The factory of the deposit address, where the chain has one. */
  depositFactory?: string | null | undefined;
  escrow: string;
  /** Unix seconds; from then on anybody may return the balance to `refundTo`. */
  refundAfter: number;
}

/**
 * Every term of a jump by the name that the contracts give it; hashed in this order they are the jump's id.
 *
 * Addresses are 32 bytes in hex, an EVM address in the last 20; numbers are decimal strings; times are Unix seconds.
 */
export interface JumpTerms {
  destinationChainId: string;
  escrow: string;
  /** Later, all funds are returned. */
  expiry: string;
  inputToken: string;
  /** Whose signature opens the swap or returns the funds early. */
  maker: string;
  nonce: string;
  originChainId: string;
  outputToken: string;
  /** At least `rateOut` of the output for every `rateIn` of the input. */
  rateIn: string;
  rateOut: string;
  recipient: string;
  refundTo: string;
  version: string;
}

/** The native coin of a chain. */
export interface NativeCurrency {
  decimals: number;
  name: string;
  symbol: string;
}

/** An arrival at a deposit address in a final block. */
export interface ObservedDeposit {
  /** Raw units. */
  amount: string;
  chainId: number;
  token: string;
  /** `null` where the transaction was not found. */
  txHash?: string | null | undefined;
}

/** A swap order and its progress. */
export interface Order {
  /** Who deposits; lower case on EVM chains. */
  author: string;
  createdAt: string;
  /** The confirmed transaction, else the submitted one. */
  depositTxHash?: string | null | undefined;
  /** Raw units. */
  destAmount: string;
  /** The order's id at a remote filler. */
  externalOrderId?: string | null | undefined;
  /** For people. */
  failureReason?: string | null | undefined;
  fillerAddress?: string | null | undefined;
  fromChainId: number;
  fromToken?: string | null | undefined;
  fromTokenMeta?: TokenMeta | null | undefined;
  id: string;
  /** The id of the order on chain. */
  intentId?: string | null | undefined;
  providerStatus?: ProviderStatus | null | undefined;
  quoteId: string;
  recipient?: string | null | undefined;
  refundTo?: string | null | undefined;
  routeId: string;
  /** Raw units. */
  srcAmount: string;
  /** `created`, `deposited`, `published`, `filled`, `refund_pending`, `refunded` or `failed`. */
  status: string;
  /** All statuses so far, in order. */
  stepsCompleted: string[];
  timestamps: OrderTimestamps;
  toChainId: number;
  toToken?: string | null | undefined;
  toTokenMeta?: TokenMeta | null | undefined;
  tradeType: string;
  transactions: OrderTransactions;
  /** The kind of filler: `native-filler`, `rfq`, … */
  type: string;
  updatedAt: string;
}

/** One event of an order, as sent by the event stream. */
export interface OrderEvent {
  /** ISO 8601. */
  at: string;
  detail: string;
  orderId: string;
  /** The new status; absent where it did not change. */
  status?: string | null | undefined;
}

export interface OrderTimestamps {
  createdAt: string;
  failedAt?: string | null | undefined;
  publishedAt?: string | null | undefined;
}

export interface OrderTransaction {
  /** Raw units. */
  amount?: string | null | undefined;
  chainId: number;
  /** The block's timestamp. */
  timestamp: string;
  txHash: string;
}

/** The confirmed transactions, each in a final block. */
export interface OrderTransactions {
  deposit?: OrderTransaction | null | undefined;
  fill?: OrderTransaction | null | undefined;
  refund?: OrderTransaction | null | undefined;
}

/** One page of a list; `cursor` is absent on the last page and is passed back unchanged. */
export interface Page_FiatOrder {
  cursor?: number | null | undefined;
  data: FiatOrder[];
}

/** One page of a list; `cursor` is absent on the last page and is passed back unchanged. */
export interface Page_IntentSummary {
  cursor?: number | null | undefined;
  data: IntentSummary[];
}

/** One page of a list; `cursor` is absent on the last page and is passed back unchanged. */
export interface Page_Order {
  cursor?: number | null | undefined;
  data: Order[];
}

/** One page of a list; `cursor` is absent on the last page and is passed back unchanged. */
export interface Page_Token {
  cursor?: number | null | undefined;
  data: Token[];
}

/** A way to pay. */
export interface PaymentMethod {
  id: string;
  name: string;
}

/** A deposit that the payer signs and the service submits. */
export type PermitDeposit = FrozenOrder & {
  /** The approval that Permit2 needs first; absent where the allowance suffices. */
  approvals?: Approval[] | undefined;
  intentId: string;
  /** EIP-712 typed data for `eth_signTypedData_v4`: `domain`, `types`, `primaryType`, `message`. */
  permit: Record<string, unknown>;
  transferDetails: TransferDetails;
};

/** The price of one whole token. */
export interface Price {
  usd: string;
}

/** The filler's progress. */
export interface ProviderStatus {
  /** `waiting`, `asked`, `accepted`, `declined`, `delivered`, `paid` or `returned`. */
  nativeStatus: string;
  /** The filler's name. */
  provider: string;
}

/** A quote and the routes that answered, best first. */
export interface QuoteAnswer {
  quoteId: string;
  routes: Route[];
}

/** A swap quote request. */
export interface QuoteAsk {
  /** Raw units of `fromToken` on exact input, of `toToken` on exact output. */
  amount: string;
  /** Keep only routes that offer one of these. */
  depositMethods?: string[] | null | undefined;
  fromAddress: string;
  fromChainId: number;
  fromToken: string;
  /** Defaults to `fromAddress`. */
  recipient?: string | null | undefined;
  /** An address of the source chain's family, paid when the filler claims. */
  referrer?: string | null | undefined;
  /** Hundredths of a percent of the input, 0 to 1000. */
  referrerFeeBps?: number | null | undefined;
  /** Defaults to `fromAddress`. */
  refundTo?: string | null | undefined;
  /** A fraction in [0, 0.5]; 0.005 means half a percent. */
  slippageTolerance?: number | null | undefined;
  toChainId: number;
  toToken: string;
  /** `EXACT_INPUT` or `EXACT_OUTPUT`. */
  tradeType: string;
}

/** How to get the deposit back without the service, with `terms` and any wallet. */
export interface Recovery {
  chainId: number;
  /** Its `sweep(terms)` and `giveBack(terms, tokens)` move the balance of the order's deposit address. */
  depositFactory?: string | null | undefined;
  /** Its `refund(terms)` refunds to `refundTo` and can be called by anybody. */
  escrow: string;
  /** Unix seconds; the refund is possible from the next second on. */
  refundAfter: number;
}

/** One filler's offer. */
export interface Route {
  /** Of `CONTRACT_CALL`, `PERMIT2`, `TRANSFER`. */
  depositMethods: string[];
  /** On exact output: `native` if the filler guarantees the output, `adaptive` if the input has a buffer. */
  exactOutMethod?: string | null | undefined;
  /** Absolute URL. */
  icon?: string | null | undefined;
  quote: RouteQuote;
  /** The id of the offer within its quote. */
  routeId: string;
  /** The kind of filler: `native-filler`, `rfq`, `oif`, … */
  type: string;
}

/** Amounts, fees and validity of a route. */
export interface RouteQuote {
  /** Raw units of the input token. */
  amountIn: string;
  /** Raw units of the output token. */
  amountOut: string;
  /** Raw units of the source chain's native coin. */
  estimatedGas?: string | null | undefined;
  expectedDurationSeconds: number;
  fees?: Fee[] | undefined;
  /** After slippage; equals `amountOut` where the filler guarantees it. */
  minAmountOut: string;
  /** Unix seconds; until when the price is guaranteed. */
  quoteExpiresAt?: number | null | undefined;
  slippageTolerance?: number | null | undefined;
  /** `1-click` (no approval needed) or `needs-approval`. */
  tags: string[];
  /** Unix seconds; a deposit is not built after it. */
  validBefore: number;
}

export interface RpcEndpoints {
  http: string[];
}

/** Public RPC URLs by purpose. */
export interface RpcUrls {
  default: RpcEndpoints;
}

/** A transaction for a Solana wallet to sign, then to send or to submit. */
export interface SolanaApproval {
  /** Signed, it is what is submitted. */
  deposit?: boolean | null | undefined;
  /** A version 0 transaction in base64, with room for the payer's signature. */
  transaction: string;
}

/** Information about the running service. */
export interface Status {
  chains: number;
  /** `sandbox` or `production`. */
  mode: string;
  name: string;
  ready: boolean;
  startedAt: string;
  /** `sqlite` or `postgres`. */
  store: string;
  tokens: number;
  version: string;
}

/** A line of a streamed response: a route with the id of its quote. */
export type StreamedRoute = Route & {
  quoteId: string;
};

/** The order that the deposit belongs to. */
export interface SubmitAnswer {
  orderId: string;
  txHash: string;
}

/** Reports a deposit or submits a signed one; exactly one of the three proofs. */
export interface SubmitAsk {
  quoteId: string;
  routeId: string;
  /** The payer's signature of the permit, in hex. */
  signature?: string | null | undefined;
  /** The deposit's transaction, signed, for us to send: hex with `0x` on EVM, base64 on Solana. */
  signedTransaction?: string | null | undefined;
  /** The deposit's transaction: its hash, `0x` and 64 hex digits, on EVM; its signature in base58 on Solana. */
  txHash?: string | null | undefined;
}

/** An example input. */
export interface Suggestion {
  description: string;
  text: string;
}

/**
 * Every term of an order by the name that the contracts give it; hashed in this order they are the intent's id.
 *
 * Addresses are 32 bytes in hex, an EVM address in the last 20; numbers are decimal strings; times are Unix seconds.
 */
export interface Terms {
  amountIn: string;
  amountOut: string;
  destinationChainId: string;
  epoch: string;
  escrow: string;
  fillDeadline: string;
  filler: string;
  inputToken: string;
  nonce: string;
  openDeadline: string;
  originChainId: string;
  outputToken: string;
  payee: string;
  recipient: string;
  /** Zero for no referrer. */
  referrer: string;
  referrerFee: string;
  refundAt: string;
  refundTo: string;
  settler: string;
  user: string;
  version: string;
}

/** A token on one chain. */
export interface Token {
  /** Checksummed on EVM chains; 40 zeros (EVM) or 32 ones (Solana) for the chain's own coin. */
  address: string;
  chainId: number;
  decimals: number;
  extensions?: TokenExtensions | null | undefined;
  /** The token's identifier string. */
  id?: string | null | undefined;
  logoURI?: string | null | undefined;
  name: string;
  /** The chain family: `eip155` or `solana`. */
  platform?: string | null | undefined;
  symbol: string;
}

/** Additional data of a token. */
export interface TokenExtensions {
  /** Raw balance of the requested address. */
  balance?: string | null | undefined;
  change?: string | null | undefined;
  /** The symbol imitates a well-known token under another address. */
  isRiskToken?: boolean | null | undefined;
  liquidity?: string | null | undefined;
  marketCap?: string | null | undefined;
  price?: Price | null | undefined;
  spokeToken?: string | null | undefined;
  volume?: string | null | undefined;
}

/** Token data for displaying an amount. */
export interface TokenMeta {
  decimals: number;
  logoURI?: string | null | undefined;
  symbol: string;
}

/** What to send, where and until when. */
export interface Transfer {
  /** Raw units. */
  amount: string;
  caip2: string;
  chainId: number;
  decimals: number;
  depositAddress: string;
  /** Unix seconds; later transfers are refunded. */
  expiresAt: number;
  intentId: string;
  orderId: string;
  /** A payment link for wallets; absent where no reliable format exists. */
  paymentUri?: string | null | undefined;
  /** Absolute URL of a QR code as SVG. */
  qrImageUrl: string;
  /** The content of the QR code. */
  qrPayload: string;
  token: string;
}

/** A deposit by a plain transfer to an address of this order. */
export type TransferDeposit = Transfer & FrozenOrder & {
  /** The same values, for clients that expect them here. */
  deposit: Transfer;
};

/** The spender and amount of the permit. */
export interface TransferDetails {
  /** Raw units. */
  requestedAmount: string;
  /** The escrow. */
  to: string;
}

/** A vault that pays out shares for one token. */
export interface Vault {
  /** The deposited token. */
  assets: string[];
  backend: string;
  /** Of the shares. */
  decimals: number;
  description: string;
  extensions?: Record<string, unknown> | null | undefined;
  name: string;
  symbol: string;
  /** The same contract: deposits go to it directly. */
  teller: string;
  testnet?: boolean | null | undefined;
  /** The ERC-4626 contract, which is its own share token. */
  vault: string;
}

/** A request to pass to an EVM wallet. */
export interface WalletApproval {
  /** Its transaction hash is what is submitted. */
  deposit?: boolean | null | undefined;
  request: WalletRequest;
  /** The chain must confirm it before the next one. */
  waitForReceipt?: boolean | null | undefined;
}

/** The arguments of EIP-1193's `request`. */
export interface WalletRequest {
  /** `wallet_switchEthereumChain` or `eth_sendTransaction`. */
  method: string;
  params: Record<string, unknown>[];
}
