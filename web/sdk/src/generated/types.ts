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
  data?: AutocompleteItem[] | undefined;
  /** What is still missing: `amount`, `token`, `chain`, `toToken`. */
  nextSlots?: string[] | undefined;
  /** The interpretation as text. */
  parsed?: string | undefined;
}

export interface AutocompleteItem {
  /** Raw units of `token`. */
  amount?: string | null | undefined;
  chain?: Chain | undefined;
  description?: string | undefined;
  fromToken?: Token | null | undefined;
  toToken?: Token | null | undefined;
  token?: Token | undefined;
  /** Dollars with two digits after the point, where a price is known. */
  usdAmount?: string | null | undefined;
}

export interface BlockExplorer {
  name?: string | undefined;
  url?: string | undefined;
}

/** Block explorers by purpose. */
export interface BlockExplorers {
  default?: BlockExplorer | undefined;
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
  blockExplorers?: BlockExplorers | undefined;
  caip2?: string | undefined;
  depositMethods?: string[] | undefined;
  enabled?: boolean | undefined;
  explorerUrl?: string | undefined;
  /** Absolute URL of the chain's icon. */
  icon?: string | undefined;
  id: number;
  name?: string | undefined;
  nativeCurrency?: NativeCurrency | undefined;
  rpcUrls?: RpcUrls | undefined;
  /** `eip155` or `solana`. */
  type?: string | undefined;
}

/** A deposit that the payer's wallet sends. */
export type ContractCallDeposit = FrozenOrder & {
  /** In this order; exactly one has `deposit: true`. */
  approvals: Approval[];
  intentId?: string | undefined;
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
  createdAt?: string | undefined;
  depositAddress?: string | undefined;
  depositTxHash?: string | null | undefined;
  errorMessage?: string | null | undefined;
  intentId?: string | undefined;
  /** The deposit address with its CAIP-2 chain. */
  odaId?: string | undefined;
  orderId: string;
  refundTo?: string | null | undefined;
  refundTxHash?: string | null | undefined;
  status: string;
  /**
   * `awaiting_deposit`, `awaiting_more`, `sweeping`, `asking_filler`, `filling`, `filled`, `refunding`, `refunded` or
   * `expired`.
   */
  step?: string | undefined;
  updatedAt?: string | undefined;
  /** Unix seconds. */
  validBefore?: number | null | undefined;
}

/** The orders of a deposit address, and what has arrived there. */
export interface DepositAddressOrders {
  data: DepositAddressOrder[];
  observedDeposits?: ObservedDeposit[] | undefined;
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
  amount?: string | undefined;
  /** `filler`, `gas`, `referrer` or `protocol`. */
  kind?: string | undefined;
  /** The token's identifier string. */
  token?: string | undefined;
  usd?: string | null | undefined;
}

/** What the payer does next. */
export interface FiatAction {
  /** `wrapper`: show the page at `url`. */
  type?: string | undefined;
  url?: string | undefined;
}

/** A token by its chain and address. */
export interface FiatAsset {
  address?: string | undefined;
  chainId?: number | undefined;
}

/** The capabilities of a provider. */
export interface FiatCapabilities {
  /** Of `estimate` and `firm`. */
  quoteKinds?: string[] | undefined;
  supportedFiatCurrencies?: string[] | undefined;
  supportedPaymentMethods?: string[] | undefined;
  supportsStatusPolling?: boolean | undefined;
  supportsWebhook?: boolean | undefined;
}

/** The capabilities of the fiat API. */
export interface FiatConfig {
  /** The path prefix of the operations. */
  basePath?: string | undefined;
  contractVersion?: number | undefined;
  features?: FiatFeatures | undefined;
  jump?: FiatJump | undefined;
  providers?: FiatProviderConfig[] | undefined;
}

/** Display data of a provider. */
export interface FiatDisplay {
  logoUrl?: string | null | undefined;
  name?: string | undefined;
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
  reason?: string | undefined;
  /** `provider`, `swap` or `service`. */
  source?: string | undefined;
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
  order?: boolean | undefined;
  quote?: boolean | undefined;
}

/** A fee included in the payment. */
export interface FiatFee {
  /** In the currency of the quote. */
  amount?: string | undefined;
  /** `provider`, `network` or `partner`. */
  kind?: string | undefined;
}

/** Whether tokens can be bought that no provider sells, and over which stablecoin. */
export interface FiatJump {
  enabled?: boolean | undefined;
  intermediateAsset?: FiatAsset | null | undefined;
}

/** Minimum and maximum payment, fees included; decimals with all digits of the currency. */
export interface FiatLimit {
  fiatCurrency?: string | undefined;
  max?: string | undefined;
  min?: string | undefined;
}

/** A purchase as listed for a wallet. */
export type FiatOrder = FiatOrderView & {
  /** Lower case on EVM chains. */
  author?: string | undefined;
  polling?: FiatPolling | undefined;
  recipient?: string | undefined;
};

/** An order and the next step of its payer. */
export interface FiatOrderAnswer {
  action?: FiatAction | undefined;
  orderId: string;
  provider?: string | undefined;
  status?: string | undefined;
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
  createdAt?: string | undefined;
  /** The deposit address of a jump. */
  depositAddress?: string | null | undefined;
  /** Raw units of the target. */
  expectedOutputAmount?: string | null | undefined;
  failure?: FiatFailure | null | undefined;
  fiatAmount?: string | undefined;
  fiatCurrency?: string | undefined;
  /** The transaction that delivered the target to the recipient. */
  fillTxHash?: string | null | undefined;
  orderId: string;
  /** What the recipient received, in raw units of the target. */
  outputAmount?: string | null | undefined;
  outputAsset?: FiatAsset | undefined;
  progress?: unknown | undefined;
  provider?: string | undefined;
  recovery?: JumpRecovery | null | undefined;
  /** Where a jump's funds are returned if they cannot be swapped. */
  refundTo?: string | null | undefined;
  /** The transaction that returned a jump's funds to `refundTo`. */
  refundTxHash?: string | null | undefined;
  status: string;
  /** The swap that took a jump's funds. */
  swapOrderId?: string | null | undefined;
  swapStrategy?: string | undefined;
  terminal?: boolean | undefined;
  terms?: JumpTerms | null | undefined;
  /** The provider's delivery: to the recipient, or to a jump's deposit address. */
  transferTxHash?: string | null | undefined;
  updatedAt?: string | undefined;
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
  fiatCurrencies?: string[] | undefined;
  id: string;
  limits?: FiatLimit[] | undefined;
  /** Absolute URL. */
  logoUrl?: string | null | undefined;
  name?: string | undefined;
  paymentMethods?: PaymentMethod[] | undefined;
  /** The chains that it delivers on. */
  supportedChainIds?: number[] | undefined;
}

/** A provider's configuration for clients. */
export interface FiatProviderConfig {
  capabilities?: FiatCapabilities | undefined;
  display?: FiatDisplay | undefined;
  id?: string | undefined;
}

/** Why one provider has no offer. */
export interface FiatProviderError {
  /** Stable, for programs. */
  code?: string | undefined;
  /** For people. */
  message?: string | undefined;
  provider?: string | undefined;
  retryable?: boolean | undefined;
}

/** All providers. */
export interface FiatProviders {
  providers: FiatProvider[];
}

/** One provider's offer. */
export interface FiatQuote {
  /** What is received, in raw units of the target. */
  cryptoAmount?: string | undefined;
  /** Raw units of the target. */
  expectedOutputAmount?: string | undefined;
  /** Unix seconds; an order is not created after it. */
  expiresAt?: number | undefined;
  fees?: FiatFee[] | undefined;
  /** What is paid, fees included. */
  fiatAmount?: string | undefined;
  fiatCurrency?: string | undefined;
  /** `estimate` or `firm`. */
  kind?: string | undefined;
  maxFiatAmount?: string | null | undefined;
  minFiatAmount?: string | null | undefined;
  /** Raw units of the target; less is never delivered. */
  minOutputAmount?: string | undefined;
  /** The target. */
  outputAsset?: FiatAsset | undefined;
  paymentMethods?: PaymentMethod[] | null | undefined;
  provider?: string | undefined;
  providerLogoUrl?: string | null | undefined;
  providerName?: string | undefined;
  quoteId: string;
  /** Swap routes from the stablecoin to the target, best first; present only for a jump. */
  routes?: FiatRoute[] | null | undefined;
  slippageBps?: number | null | undefined;
  /** `direct` where the provider delivers the target itself, `jump` where a swap follows. */
  swapStrategy: string;
  token?: Token | null | undefined;
  /** The sum of `fees`, in the currency. */
  totalFee?: string | undefined;
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
  quote?: RouteQuote | undefined;
  /** The id of the route within its quote. */
  routeId: string;
  /** The kind of filler: `native-filler`, `rfq`, … */
  type?: string | undefined;
}

/** The status of a purchase. */
export interface FiatStatus {
  /** Stable, for programs. */
  errorReason?: string | null | undefined;
  /** For people. */
  failedReason?: string | null | undefined;
  /** The transaction that delivered the target to the recipient. */
  fillTxHash?: string | null | undefined;
  orderId?: string | undefined;
  polling: FiatPolling;
  /** `awaiting_payment`, `payment_processing`, `settling`, or the terminal status. */
  progress?: unknown | undefined;
  provider?: string | undefined;
  /** `created`, `pending`, `processing`, `completed`, `failed`, `canceled` or `expired`. */
  status: string;
  /** The swap that took a jump's funds. */
  swapOrderId?: string | null | undefined;
  /** `direct` or `jump`. */
  swapStrategy?: string | undefined;
}

/** The result of a provider's webhook. */
export interface FiatWebhookAnswer {
  /** `accepted`, `duplicate`, `unknown_order` or `rejected`. */
  outcome?: string | undefined;
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
  fills?: FillerFills | undefined;
  /** `healthy`, `degraded` (recent failures) or `open` (paused by the circuit breaker after repeated failures). */
  health?: string | undefined;
  /** `native-filler`, `rfq`, `oif`, …; the `type` of its routes. */
  kind?: string | undefined;
  name: string;
  /** Why the operator paused it, if paused. */
  paused?: string | null | undefined;
  quotes?: FillerQuotes | undefined;
  reputation?: FillerReputation | null | undefined;
}

/** Order counts of a filler, over all replicas. */
export interface FillerFills {
  /** No deposit arrived. */
  failed?: number | undefined;
  filled?: number | undefined;
  /** Neither filled nor refunded yet. */
  open?: number | undefined;
  refunded?: number | undefined;
}

/** Request counts of a filler since the service started. */
export interface FillerQuotes {
  asked?: number | undefined;
  faulted?: number | undefined;
  /** Milliseconds, over its latest responses. */
  medianMs?: number | null | undefined;
  offered?: number | undefined;
  refused?: number | undefined;
  /** Skipped, because its queue was full or its circuit breaker was open. */
  skipped?: number | undefined;
  timedOut?: number | undefined;
  /** Quotes in which its offer ranked first. */
  won?: number | undefined;
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
  orders?: number | undefined;
  /** By how many basis points its offers beat the median of all offers for the same requests. */
  priceBps?: number | null | undefined;
  /** Consecutive recent orders that were refunded because it did not fill; from three on it is paused for a while. */
  unfilledInARow?: number | undefined;
}

/** Data of the order that every built deposit includes, for clear signing and for a refund without the service. */
export interface FrozenOrder {
  recovery?: Recovery | undefined;
  /** A plain sentence for each action. */
  summary?: string[] | undefined;
  terms?: Terms | undefined;
}

/** The hub's contracts. */
export interface HubConfig {
  chainId?: number | undefined;
  contract?: HubContracts | undefined;
  /** The service's own public address. */
  medusaURL?: string | undefined;
}

/** Contract addresses; one contract may have several names. */
export interface HubContracts {
  /** The attester registry. */
  accessManager?: string | undefined;
  /** The escrow of each chain, by chain id. */
  assetReserves?: Record<string, string> | undefined;
  crossChainIntentBook?: string | undefined;
  /** The deposit-address factory of each chain, by chain id. */
  depositor?: Record<string, string> | undefined;
  /** The hub's settler. */
  gateway?: string | undefined;
  /** The attester registry. */
  hyperlaneVerifier?: string | undefined;
  intentBook?: string | undefined;
  intentLib?: string | null | undefined;
  /** The vault factory. */
  mTokenManager?: string | undefined;
  mTokenRegistry?: string | undefined;
  mTokenVaultFactory?: string | undefined;
  stableAssetRateProvider?: string | null | undefined;
  vaultLib?: string | null | undefined;
}

/** An intent with its deposits. */
export type Intent = IntentSummary & {
  deposits?: IntentDeposit[] | undefined;
};

/** Attestations of an intent: the arguments of the escrow's `claim` or `refundUnfilled`. */
export interface IntentAttestations {
  /** The chain of the escrow. */
  chainId?: number | undefined;
  /** A destination chain time past the fill deadline at which the order was not filled. */
  destinationTime?: string | null | undefined;
  /** The attester epoch of the signers. */
  epoch?: string | undefined;
  /** Reference of the fill; zero where the escrow checks it itself. */
  fillRef?: string | null | undefined;
  /** The destination chain's time of the fill, in Unix seconds. */
  filledAt?: string | null | undefined;
  intentId?: string | undefined;
  outcome?: AttestedOutcome | undefined;
  /** In ascending order of their signers, as the escrow requires; empty where both sides are on one chain. */
  signatures?: string[] | undefined;
}

/** A confirmed or submitted deposit of an intent. */
export interface IntentDeposit {
  /** Raw units. */
  amountIn?: string | undefined;
  chainId?: number | undefined;
  /** When its block was final. */
  confirmedAt?: string | null | undefined;
  createdAt?: string | undefined;
  id?: number | undefined;
  inputToken?: string | undefined;
  intentId?: string | undefined;
  txHash?: string | undefined;
}

/** The state of an intent. */
export type IntentState = "NonExistent" | "Open" | "Locked" | "Solved" | "Settled" | "Expired" | "Cancelled" | "Error";

/** An order as identified on chain. */
export interface IntentSummary {
  /** Who deposits; lower case on EVM chains. */
  author?: string | undefined;
  createdAt?: string | undefined;
  /** Raw units. */
  destAmount?: string | undefined;
  filledAt?: string | null | undefined;
  fromChainId?: number | undefined;
  fromToken?: string | undefined;
  intentId: string;
  openedAt?: string | null | undefined;
  settledAt?: string | null | undefined;
  /** Raw units. */
  srcAmount?: string | undefined;
  state?: IntentState | undefined;
  toChainId?: number | undefined;
  toToken?: string | undefined;
}

/** One problem of a request; a `ValidationException` lists all of them in `details.issues`. */
export interface Issue {
  message: string;
  /** Which parameter or field. */
  path: string;
}

/** How to refund a jump without the service. */
export interface JumpRecovery {
  chainId?: number | undefined;
  /** The factory of the deposit address, where the chain has one. */
  depositFactory?: string | null | undefined;
  escrow?: string | undefined;
  /** Unix seconds; from then on anybody may return the balance to `refundTo`. */
  refundAfter?: number | undefined;
}

/**
 * Every term of a jump by the name that the contracts give it; hashed in this order they are the jump's id.
 *
 * Addresses are 32 bytes in hex, an EVM address in the last 20; numbers are decimal strings; times are Unix seconds.
 */
export interface JumpTerms {
  destinationChainId?: string | undefined;
  escrow?: string | undefined;
  /** Later, all funds are returned. */
  expiry?: string | undefined;
  inputToken?: string | undefined;
  /** Whose signature opens the swap or returns the funds early. */
  maker?: string | undefined;
  nonce?: string | undefined;
  originChainId?: string | undefined;
  outputToken?: string | undefined;
  /** At least `rateOut` of the output for every `rateIn` of the input. */
  rateIn?: string | undefined;
  rateOut?: string | undefined;
  recipient?: string | undefined;
  refundTo?: string | undefined;
  version?: string | undefined;
}

/** The native coin of a chain. */
export interface NativeCurrency {
  decimals?: number | undefined;
  name?: string | undefined;
  symbol?: string | undefined;
}

/** An arrival at a deposit address in a final block. */
export interface ObservedDeposit {
  /** Raw units. */
  amount?: string | undefined;
  chainId?: number | undefined;
  token?: string | undefined;
  /** `null` where the transaction was not found. */
  txHash?: string | null | undefined;
}

/** A swap order and its progress. */
export interface Order {
  /** Who deposits; lower case on EVM chains. */
  author?: string | undefined;
  createdAt?: string | undefined;
  /** The confirmed transaction, else the submitted one. */
  depositTxHash?: string | null | undefined;
  /** Raw units. */
  destAmount?: string | undefined;
  /** The order's id at a remote filler. */
  externalOrderId?: string | null | undefined;
  /** For people. */
  failureReason?: string | null | undefined;
  fillerAddress?: string | null | undefined;
  fromChainId?: number | undefined;
  fromToken?: string | null | undefined;
  fromTokenMeta?: TokenMeta | null | undefined;
  id: string;
  /** The id of the order on chain. */
  intentId?: string | null | undefined;
  providerStatus?: ProviderStatus | null | undefined;
  quoteId?: string | undefined;
  recipient?: string | null | undefined;
  refundTo?: string | null | undefined;
  routeId?: string | undefined;
  /** Raw units. */
  srcAmount?: string | undefined;
  /** `created`, `deposited`, `published`, `filled`, `refund_pending`, `refunded` or `failed`. */
  status: string;
  /** All statuses so far, in order. */
  stepsCompleted?: string[] | undefined;
  timestamps?: OrderTimestamps | undefined;
  toChainId?: number | undefined;
  toToken?: string | null | undefined;
  toTokenMeta?: TokenMeta | null | undefined;
  tradeType?: string | undefined;
  transactions?: OrderTransactions | undefined;
  /** The kind of filler: `native-filler`, `rfq`, … */
  type?: string | undefined;
  updatedAt?: string | undefined;
}

/** One event of an order, as sent by the event stream. */
export interface OrderEvent {
  /** ISO 8601. */
  at?: string | undefined;
  detail?: string | undefined;
  orderId: string;
  /** The new status; absent where it did not change. */
  status?: string | null | undefined;
}

export interface OrderTimestamps {
  createdAt?: string | undefined;
  failedAt?: string | null | undefined;
  publishedAt?: string | null | undefined;
}

export interface OrderTransaction {
  /** Raw units. */
  amount?: string | null | undefined;
  chainId?: number | undefined;
  /** The block's timestamp. */
  timestamp?: string | undefined;
  txHash?: string | undefined;
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
  id?: string | undefined;
  name?: string | undefined;
}

/** A deposit that the payer signs and the service submits. */
export type PermitDeposit = FrozenOrder & {
  /** The approval that Permit2 needs first; absent where the allowance suffices. */
  approvals?: Approval[] | undefined;
  intentId?: string | undefined;
  /** EIP-712 typed data for `eth_signTypedData_v4`: `domain`, `types`, `primaryType`, `message`. */
  permit: Record<string, unknown>;
  transferDetails?: TransferDetails | undefined;
};

/** The price of one whole token. */
export interface Price {
  usd?: string | undefined;
}

/** The filler's progress. */
export interface ProviderStatus {
  /** `waiting`, `asked`, `accepted`, `declined`, `delivered`, `paid` or `returned`. */
  nativeStatus?: string | undefined;
  /** The filler's name. */
  provider?: string | undefined;
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
  chainId?: number | undefined;
  /** Its `sweep(terms)` and `giveBack(terms, tokens)` move the balance of the order's deposit address. */
  depositFactory?: string | null | undefined;
  /** Its `refund(terms)` refunds to `refundTo` and can be called by anybody. */
  escrow?: string | undefined;
  /** Unix seconds; the refund is possible from the next second on. */
  refundAfter?: number | undefined;
}

/** One filler's offer. */
export interface Route {
  /** Of `CONTRACT_CALL`, `PERMIT2`, `TRANSFER`. */
  depositMethods?: string[] | undefined;
  /** On exact output: `native` if the filler guarantees the output, `adaptive` if the input has a buffer. */
  exactOutMethod?: string | null | undefined;
  /** Absolute URL. */
  icon?: string | null | undefined;
  quote: RouteQuote;
  /** The id of the offer within its quote. */
  routeId: string;
  /** The kind of filler: `native-filler`, `rfq`, `oif`, … */
  type?: string | undefined;
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
  minAmountOut?: string | undefined;
  /** Unix seconds; until when the price is guaranteed. */
  quoteExpiresAt?: number | null | undefined;
  slippageTolerance?: number | null | undefined;
  /** `1-click` (no approval needed) or `needs-approval`. */
  tags?: string[] | undefined;
  /** Unix seconds; a deposit is not built after it. */
  validBefore?: number | undefined;
}

export interface RpcEndpoints {
  http?: string[] | undefined;
}

/** Public RPC URLs by purpose. */
export interface RpcUrls {
  default?: RpcEndpoints | undefined;
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
  chains?: number | undefined;
  /** `sandbox` or `production`. */
  mode?: string | undefined;
  name?: string | undefined;
  ready?: boolean | undefined;
  startedAt?: string | undefined;
  /** `sqlite` or `postgres`. */
  store?: string | undefined;
  tokens?: number | undefined;
  version?: string | undefined;
}

/** A line of a streamed response: a route with the id of its quote. */
export type StreamedRoute = Route & {
  quoteId: string;
};

/** The order that the deposit belongs to. */
export interface SubmitAnswer {
  orderId: string;
  txHash?: string | undefined;
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
  description?: string | undefined;
  text?: string | undefined;
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
  decimals?: number | undefined;
  extensions?: TokenExtensions | null | undefined;
  /** The token's identifier string. */
  id?: string | null | undefined;
  logoURI?: string | null | undefined;
  name?: string | undefined;
  /** The chain family: `eip155` or `solana`. */
  platform?: string | null | undefined;
  symbol?: string | undefined;
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
  decimals?: number | undefined;
  logoURI?: string | null | undefined;
  symbol?: string | undefined;
}

/** What to send, where and until when. */
export interface Transfer {
  /** Raw units. */
  amount?: string | undefined;
  caip2?: string | undefined;
  chainId?: number | undefined;
  decimals?: number | undefined;
  depositAddress: string;
  /** Unix seconds; later transfers are refunded. */
  expiresAt?: number | undefined;
  intentId?: string | undefined;
  orderId?: string | undefined;
  /** A payment link for wallets; absent where no reliable format exists. */
  paymentUri?: string | null | undefined;
  /** Absolute URL of a QR code as SVG. */
  qrImageUrl?: string | undefined;
  /** The content of the QR code. */
  qrPayload?: string | undefined;
  token?: string | undefined;
}

/** A deposit by a plain transfer to an address of this order. */
export type TransferDeposit = Transfer & FrozenOrder & {
  /** The same values, for clients that expect them here. */
  deposit?: Transfer | undefined;
};

/** The spender and amount of the permit. */
export interface TransferDetails {
  /** Raw units. */
  requestedAmount?: string | undefined;
  /** The escrow. */
  to?: string | undefined;
}

/** A vault that pays out shares for one token. */
export interface Vault {
  /** The deposited token. */
  assets?: string[] | undefined;
  backend?: string | undefined;
  /** Of the shares. */
  decimals?: number | undefined;
  description?: string | undefined;
  extensions?: Record<string, unknown> | null | undefined;
  name?: string | undefined;
  symbol?: string | undefined;
  /** The same contract: deposits go to it directly. */
  teller?: string | undefined;
  testnet?: boolean | null | undefined;
  /** The ERC-4626 contract, which is its own share token. */
  vault?: string | undefined;
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
  params: unknown[];
}
