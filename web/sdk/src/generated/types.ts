// Generated from the API document by `npm run types`. Do not edit.

/** One action for a wallet. */
export type Approval = WalletApproval & {
  /** "eip1193_request", which tells this variant from the others. */
  type: "eip1193_request";
} | SolanaApproval & {
  /** "solana_sendTransaction", which tells this variant from the others. */
  type: "solana_sendTransaction";
};

/** The attested outcome of an intent. */
export type AttestedOutcome = "filled" | "unfilled";

/** The interpretation of a partial input, and completions. */
export interface Autocomplete {
  /** The possible interpretations, best first. */
  data?: AutocompleteItem[] | undefined;
  /** What is still missing: `amount`, `token`, `chain`, `toToken`. */
  nextSlots?: string[] | undefined;
  /** The interpretation as text. */
  parsed?: string | undefined;
}

export interface AutocompleteItem {
  /** Raw units of `token`. */
  amount?: string | null | undefined;
  /** The chain of `token`. */
  chain?: Chain | undefined;
  /** A description of the suggestion. */
  description?: string | undefined;
  fromToken?: Token | null | undefined;
  toToken?: Token | null | undefined;
  /** The token that the amount refers to. */
  token?: Token | undefined;
  /** Dollars with two digits after the point, where a price is known. */
  usdAmount?: string | null | undefined;
}

export interface BlockExplorer {
  /** The name of the explorer. */
  name?: string | undefined;
  /** Its address, without a slash at the end. */
  url?: string | undefined;
}

/** Block explorers by purpose. */
export interface BlockExplorers {
  /** The explorer to link to. */
  default?: BlockExplorer | undefined;
}

/** How to deposit, by deposit method. */
export type BuildAnswer = ContractCallDeposit & {
  /** "CONTRACT_CALL", which tells this variant from the others. */
  kind: "CONTRACT_CALL";
} | PermitDeposit & {
  /** "PERMIT2", which tells this variant from the others. */
  kind: "PERMIT2";
} | PermitDeposit & {
  /** "AUTHORIZATION", which tells this variant from the others. */
  kind: "AUTHORIZATION";
} | PermitDeposit & {
  /** "PERMIT", which tells this variant from the others. */
  kind: "PERMIT";
} | TransferDeposit & {
  /** "TRANSFER", which tells this variant from the others. */
  kind: "TRANSFER";
} | ProviderDeposit & {
  /** "PROVIDER_CALL", which tells this variant from the others. */
  kind: "PROVIDER_CALL";
} | ProviderTransferDeposit & {
  /** "PROVIDER_TRANSFER", which tells this variant from the others. */
  kind: "PROVIDER_TRANSFER";
};

/** Which route to deposit for, and how. */
export interface BuildAsk {
  /** `CONTRACT_CALL` (by default), `PERMIT2`, `AUTHORIZATION`, `PERMIT` or `TRANSFER`. */
  depositMethod?: string | null | undefined;
  /** The quote's `fromAddress`. */
  from: string;
  /** The quote, as it was answered. */
  quoteId: string;
  /** Defaults to the quote's. */
  recipient?: string | null | undefined;
  /** Defaults to the quote's. */
  refundTo?: string | null | undefined;
  /** One of the quote's routes. */
  routeId: string;
}

/** A supported chain. */
export interface Chain {
  /** Explorers, in the form that wallet libraries read. */
  blockExplorers?: BlockExplorers | undefined;
  /** The CAIP-2 id of the chain, such as `eip155:8453`. */
  caip2?: string | undefined;
  /** How deposits can be made there. */
  depositMethods?: string[] | undefined;
  /** Whether swaps use the chain now. */
  enabled?: boolean | undefined;
  /** The address of its explorer. */
  explorerUrl?: string | undefined;
  /** Absolute URL of the chain's icon. */
  icon?: string | undefined;
  /** The chain id. */
  id: number;
  /** The display name. */
  name?: string | undefined;
  /** The native coin. */
  nativeCurrency?: NativeCurrency | undefined;
  /** Public JSON-RPC endpoints, in the form that wallet libraries read. */
  rpcUrls?: RpcUrls | undefined;
  /** `eip155` or `solana`. */
  type?: string | undefined;
}

/** A deposit that the payer's wallet sends. */
export type ContractCallDeposit = FrozenOrder & {
  /** In this order; exactly one has `deposit: true`. */
  approvals: Approval[];
  /** The id by which the chains know the order: 0x and 64 hex digits. */
  intentId?: string | undefined;
};

/** A whole list in the envelope that pages use. */
export interface Data_Suggestion {
  /** The entries, best first. */
  data: Suggestion[];
}

/** A whole list in the envelope that pages use. */
export interface Data_Token {
  /** The entries, best first. */
  data: Token[];
}

/** An order with a deposit address. */
export interface DepositAddressOrder {
  /** When it was created, in ISO 8601 (UTC). */
  createdAt?: string | undefined;
  /** The address that the payer sends to. */
  depositAddress?: string | undefined;
  /** The transfer that paid the order, once it was seen. */
  depositTxHash?: string | null | undefined;
  /** What went wrong, as text for users. */
  errorMessage?: string | null | undefined;
  /** The id by which the chains know the order: 0x and 64 hex digits. */
  intentId?: string | undefined;
  /** The deposit address with its CAIP-2 chain. */
  odaId?: string | undefined;
  /** The order that it belongs to. */
  orderId: string;
  /** Where a refund goes. */
  refundTo?: string | null | undefined;
  /** The transaction that returned the money. */
  refundTxHash?: string | null | undefined;
  /** The status of the order. */
  status: string;
  /**
   * `awaiting_deposit`, `awaiting_more`, `sweeping`, `asking_filler`, `filling`, `filled`, `refunding`, `refunded` or
   * `expired`.
   */
  step?: string | undefined;
  /** When it changed last, in ISO 8601 (UTC). */
  updatedAt?: string | undefined;
  /** Unix seconds. */
  validBefore?: number | null | undefined;
}

/** The orders of a deposit address, and the transfers that it has received. */
export interface DepositAddressOrders {
  /** The orders of this address. */
  data: DepositAddressOrder[];
  /** The transfers that the address has received. */
  observedDeposits?: ObservedDeposit[] | undefined;
}

/** The body of every error. */
export interface ErrorBody {
  /** More about the error, for programs. */
  details?: Record<string, unknown> | null | undefined;
  /** What to change, as text for users. */
  message: string;
  /** The name of the error, by which clients choose a class. */
  name: ErrorName;
}

/** The error names of the API. */
export type ErrorName = "ValidationException" | "BadRequestException" | "UnexpectedFromAddressException" | "UnauthorizedException" | "ScreeningException" | "QuoteNotFoundException" | "IntentNotFoundException" | "OrderNotFoundException" | "NotFoundException" | "MethodNotAllowedException" | "DuplicateRecordException" | "RequestInProgressException" | "QuoteExpiredException" | "PayloadTooLargeException" | "NotSupportedTokenException" | "NotSupportedChainException" | "NotSupportedDepositMethodException" | "IdempotencyKeyReusedException" | "CannotFillException" | "RateLimitedException" | "InternalErrorException" | "BroadcastException" | "ServiceUnavailableException";

/** One component of the difference between input and output. */
export interface Fee {
  /** Raw units of `token`. */
  amount?: string | undefined;
  /** `filler`, `gas`, `referrer` or `protocol`. */
  kind?: string | undefined;
  /** The token's identifier string. */
  token?: string | undefined;
  /** The same in US dollars, where the price is known. */
  usd?: string | null | undefined;
}

/** The next step of the payer. */
export interface FiatAction {
  /** `wrapper`: show the page at `url`. */
  type?: string | undefined;
  /** The page to open. */
  url?: string | undefined;
}

/** A token by its chain and address. */
export interface FiatAsset {
  /** The address of the token. */
  address?: string | undefined;
  /** The chain id. */
  chainId?: number | undefined;
}

/** The capabilities of a provider. */
export interface FiatCapabilities {
  /** Of `estimate` and `firm`. */
  quoteKinds?: string[] | undefined;
  /** The currencies that it takes. */
  supportedFiatCurrencies?: string[] | undefined;
  /** The payment methods that it offers. */
  supportedPaymentMethods?: string[] | undefined;
  /** Whether the status of its orders can be polled. */
  supportsStatusPolling?: boolean | undefined;
  /** Whether it reports changes by itself. */
  supportsWebhook?: boolean | undefined;
}

/** The capabilities of the fiat API. */
export interface FiatConfig {
  /** The path prefix of the operations. */
  basePath?: string | undefined;
  /** The version of this API. */
  contractVersion?: number | undefined;
  /** What this API can do. */
  features?: FiatFeatures | undefined;
  /** How purchases are bridged. */
  jump?: FiatJump | undefined;
  /** The providers. */
  providers?: FiatProviderConfig[] | undefined;
}

/** Display data of a provider. */
export interface FiatDisplay {
  /** The address of its logo. */
  logoUrl?: string | null | undefined;
  /** The display name. */
  name?: string | undefined;
}

/** The error body of the fiat API, which combines the envelopes of both API generations. */
export interface FiatErrorBody {
  /** More about the error, for programs. */
  details?: Record<string, unknown> | null | undefined;
  /** The same error in the envelope of newer clients. */
  error: FiatFault;
  /** What to change, as text for users. */
  message: string;
  /** The name of the error. */
  name: ErrorName;
}

/** The error codes of the fiat API. */
export type FiatErrorCode = "VALIDATION_ERROR" | "QUOTE_INVALID" | "ORDER_NOT_FOUND" | "ORIGIN_NOT_ALLOWED" | "STATE_CONFLICT" | "RATE_LIMITED" | "SCREENED" | "INTERNAL_ERROR" | "QUOTE_EXPIRED" | "UNSUPPORTED_ASSET" | "NO_ROUTE" | "PROVIDER_DISABLED" | "PROVIDER_UNAVAILABLE" | "WEBHOOK_REJECTED" | "PAYLOAD_TOO_LARGE" | "REQUEST_IN_PROGRESS" | "IDEMPOTENCY_KEY_REUSED";

/** Why a purchase failed. */
export interface FiatFailure {
  /** A message for users. */
  message?: string | null | undefined;
  /** Stable, for programs. */
  reason?: string | undefined;
  /** `provider`, `swap` or `service`. */
  source?: string | undefined;
}

/** The newer envelope of an error. */
export interface FiatFault {
  /** A machine-readable reason. */
  code: FiatErrorCode;
  /** More about the error, for programs. */
  details?: Record<string, unknown> | null | undefined;
  /** What to change, as text for users. */
  message: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
}

/** The available operations. */
export interface FiatFeatures {
  /** Whether orders can be created. */
  order?: boolean | undefined;
  /** Whether quotes can be requested. */
  quote?: boolean | undefined;
}

/** A fee included in the payment. */
export interface FiatFee {
  /** In the currency of the quote. */
  amount?: string | undefined;
  /** `provider`, `network`, `partner`, or `swap` for what the swap to the target costs. */
  kind?: string | undefined;
}

/** Whether tokens can be bought that no provider sells, and over which stablecoin. */
export interface FiatJump {
  /** Whether purchases can be bridged to other tokens. */
  enabled?: boolean | undefined;
  intermediateAsset?: FiatAsset | null | undefined;
}

/** Minimum and maximum payment, fees included; decimals with all digits of the currency. */
export interface FiatLimit {
  /** The currency code, such as `USD`. */
  fiatCurrency?: string | undefined;
  /** The largest amount, in the currency. */
  max?: string | undefined;
  /** The smallest amount, in the currency. */
  min?: string | undefined;
}

/** A purchase as listed for a wallet. */
export type FiatOrder = FiatOrderView & {
  /** Lower case on EVM chains. */
  author?: string | undefined;
  /** When to ask again. */
  polling?: FiatPolling | undefined;
  /** The address that receives the tokens. */
  recipient?: string | undefined;
};

/** An order and the next step of its payer. */
export interface FiatOrderAnswer {
  /** The next step of the payer. */
  action?: FiatAction | undefined;
  /** The id of the new order. */
  orderId: string;
  /** The id of the provider. */
  provider?: string | undefined;
  /** Its status. */
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
  /** The quote to buy from. */
  quoteId: string;
  /** Where the stablecoin of a jump is returned if it cannot be swapped; defaults to the recipient. */
  refundTo?: string | null | undefined;
  /** One of a jump's routes; the best one by default. */
  routeId?: string | null | undefined;
}

/** A purchase with all its data. */
export interface FiatOrderView {
  action?: FiatAction | null | undefined;
  /** When it was created, in ISO 8601 (UTC). */
  createdAt?: string | undefined;
  /** The deposit address of a jump. */
  depositAddress?: string | null | undefined;
  /** Raw units of the target. */
  expectedOutputAmount?: string | null | undefined;
  failure?: FiatFailure | null | undefined;
  /** The amount that is paid, in the currency. */
  fiatAmount?: string | undefined;
  /** The currency code, such as `USD`. */
  fiatCurrency?: string | undefined;
  /** The transaction that delivered the target to the recipient. */
  fillTxHash?: string | null | undefined;
  /** The id of the order. */
  orderId: string;
  /** The amount that the recipient received, in raw units of the target. */
  outputAmount?: string | null | undefined;
  /** The token that is bought. */
  outputAsset?: FiatAsset | undefined;
  /** The progress of the purchase, as a single word. */
  progress?: unknown | undefined;
  /** The id of the provider. */
  provider?: string | undefined;
  recovery?: JumpRecovery | null | undefined;
  /** Where a jump's funds are returned if they cannot be swapped. */
  refundTo?: string | null | undefined;
  /** The transaction that returned a jump's funds to `refundTo`. */
  refundTxHash?: string | null | undefined;
  /** The current status. */
  status: string;
  /** The swap that took a jump's funds. */
  swapOrderId?: string | null | undefined;
  /** `direct` or `jump`. */
  swapStrategy?: string | undefined;
  /** Whether it has ended. */
  terminal?: boolean | undefined;
  terms?: JumpTerms | null | undefined;
  /** The provider's delivery: to the recipient, or to a jump's deposit address. */
  transferTxHash?: string | null | undefined;
  /** When it changed last, in ISO 8601 (UTC). */
  updatedAt?: string | undefined;
}

/** When to poll again. */
export interface FiatPolling {
  /** Whether the order has ended, so that nothing changes any more. */
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
  /** The id by which quotes name it. */
  id: string;
  /** The amounts that it takes, by currency. */
  limits?: FiatLimit[] | undefined;
  /** Absolute URL. */
  logoUrl?: string | null | undefined;
  /** The display name. */
  name?: string | undefined;
  /** The payment methods. */
  paymentMethods?: PaymentMethod[] | undefined;
  /** The chains that it delivers on. */
  supportedChainIds?: number[] | undefined;
}

/** A provider's configuration for clients. */
export interface FiatProviderConfig {
  /** The capabilities of the provider. */
  capabilities?: FiatCapabilities | undefined;
  /** Display data. */
  display?: FiatDisplay | undefined;
  /** The id by which quotes name it. */
  id?: string | undefined;
}

/** Why one provider has no offer. */
export interface FiatProviderError {
  /**
   * Stable, for programs: `AMOUNT_OUT_OF_RANGE`, `UNSUPPORTED_ASSET`, `UNSUPPORTED_CURRENCY`,
   * `UNSUPPORTED_PAYMENT_METHOD`, `NOT_IN_COUNTRY`, `NO_ROUTE`, `PROVIDER_DISABLED`, `PROVIDER_UNAVAILABLE` or
   * `INTERNAL_ERROR`.
   */
  code?: string | undefined;
  /** The most that it takes, in the asked currency, where the amount is out of range. */
  maximum?: string | null | undefined;
  /** The reason, as text for users. */
  message?: string | undefined;
  /** The least that it takes, in the asked currency, where the amount is out of range. */
  minimum?: string | null | undefined;
  /** The id of the provider. */
  provider?: string | undefined;
  /** Whether the same request may succeed later. */
  retryable?: boolean | undefined;
}

/** All providers. */
export interface FiatProviders {
  /** The providers. */
  providers: FiatProvider[];
}

/** One provider's offer. */
export interface FiatQuote {
  /** The amount to receive, in raw units of the target. */
  cryptoAmount?: string | undefined;
  /** Raw units of the target. */
  expectedOutputAmount?: string | undefined;
  /** Unix seconds; an order is not created after it. */
  expiresAt?: number | undefined;
  /** The fees, by kind. */
  fees?: FiatFee[] | undefined;
  /** The amount to pay, including fees. */
  fiatAmount?: string | undefined;
  /** The currency code, such as `USD`. */
  fiatCurrency?: string | undefined;
  /** `estimate` or `firm`. */
  kind?: string | undefined;
  /** The largest amount that the provider takes. */
  maxFiatAmount?: string | null | undefined;
  /** The smallest amount that the provider takes. */
  minFiatAmount?: string | null | undefined;
  /** Raw units of the target; less is never delivered. */
  minOutputAmount?: string | undefined;
  /** The target. */
  outputAsset?: FiatAsset | undefined;
  /** The payment methods. */
  paymentMethods?: PaymentMethod[] | null | undefined;
  /** The id of the provider. */
  provider?: string | undefined;
  /** The address of its logo. */
  providerLogoUrl?: string | null | undefined;
  /** The display name. */
  providerName?: string | undefined;
  /** The id to create an order with. */
  quoteId: string;
  /** Swap routes from the stablecoin to the target, best first; present only for a jump. */
  routes?: FiatRoute[] | null | undefined;
  /** The tolerance of the bridge, in hundredths of a percent. */
  slippageBps?: number | null | undefined;
  /** `direct` where the provider delivers the target itself, `jump` where a swap follows. */
  swapStrategy: string;
  token?: Token | null | undefined;
  /** The sum of `fees`, in the currency: all that is lost between the payment and the target. */
  totalFee?: string | undefined;
}

/** The providers' offers, best output first, and why others have none. */
export interface FiatQuoteAnswer {
  /** The providers without a quote, with their errors. */
  errors?: FiatProviderError[] | undefined;
  /** One quote per provider, best first. */
  quotes: FiatQuote[];
}

/**
 * A request for fiat quotes. The target is `toChainId` and `toToken`, or `outputAsset`. The wallet is `recipient` or
 * `walletAddress`. Exactly one of `fiatAmount` and `cryptoAmount` is required.
 */
export interface FiatQuoteAsk {
  /** ISO 3166: `DE`, or with a subdivision `US-NY`. */
  country?: string | null | undefined;
  /** The exact amount to receive, in raw units of the target. */
  cryptoAmount?: string | null | undefined;
  /** The amount to pay, including fees: a decimal with at most the currency's digits. */
  fiatAmount?: string | null | undefined;
  /** ISO 4217, in capitals. */
  fiatCurrency: string;
  outputAsset?: FiatAsset | null | undefined;
  /** Only offers that take this payment method. */
  paymentMethod?: string | null | undefined;
  /** Use this provider only. */
  provider?: string | null | undefined;
  /** The receiving address, of the target chain's family. */
  recipient?: string | null | undefined;
  /** Where the stablecoin of a jump is returned if it cannot be swapped; defaults to the recipient. */
  refundTo?: string | null | undefined;
  /** Maximum slippage of a jump, in basis points; 0 to 5000. */
  slippageBps?: number | null | undefined;
  /** The chain of the token to buy. */
  toChainId?: number | null | undefined;
  /** The address of the token to buy. */
  toToken?: string | null | undefined;
  /** Another name of `recipient`. */
  walletAddress?: string | null | undefined;
}

/** A line of a streamed response. */
export type FiatQuoteLine = {
  /** The offer of a provider. */
  quote: FiatQuote;
} | {
  /** Why a provider has no offer. */
  error: FiatProviderError;
};

/** A swap route from the stablecoin to the target. */
export interface FiatRoute {
  /** The route's amounts. */
  quote?: RouteQuote | undefined;
  /** The id of the route within its quote. */
  routeId: string;
  /** The kind of filler: `native-filler`, `rfq`, … */
  type?: string | undefined;
}

/** The status of a purchase. */
export interface FiatStatus {
  /** A stable, machine-readable reason of the failure. */
  errorReason?: string | null | undefined;
  /** The reason of the failure, as text for users. */
  failedReason?: string | null | undefined;
  /** The transaction that delivered the target to the recipient. */
  fillTxHash?: string | null | undefined;
  /** The id of the order. */
  orderId?: string | undefined;
  /** When to ask again. */
  polling: FiatPolling;
  /** `awaiting_payment`, `payment_processing`, `settling`, or the terminal status. */
  progress?: unknown | undefined;
  /** The id of the provider. */
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
  /** The provider's own data of the event. */
  data?: Record<string, unknown> | null | undefined;
  /** `widget_ready`, `order_created`, `order_processing`, `order_completed`, `order_failed` or `widget_close`. */
  event: string;
  /** The order of the checkout. */
  orderId: string;
  /** The id of the provider. */
  provider: string;
  /** The provider's own id of it. */
  providerOrderId?: string | null | undefined;
  /** Always `FIAT_WIDGET_EVENT`. */
  type: string;
}

/** A filler and its health. */
export interface Filler {
  /** Statistics of its orders. */
  fills?: FillerFills | undefined;
  /** `healthy`, `degraded` (recent failures) or `open` (paused by the circuit breaker after repeated failures). */
  health?: string | undefined;
  /** `native-filler`, `rfq`, `oif`, …; the `type` of its routes. */
  kind?: string | undefined;
  /** The name, as in routes. */
  name: string;
  /** Why the operator paused it, if paused. */
  paused?: string | null | undefined;
  /** Statistics of its quotes. */
  quotes?: FillerQuotes | undefined;
  reputation?: FillerReputation | null | undefined;
}

/** Order counts of a filler, over all replicas. */
export interface FillerFills {
  /** No deposit arrived. */
  failed?: number | undefined;
  /** Orders that it delivered. */
  filled?: number | undefined;
  /** Neither filled nor refunded yet. */
  open?: number | undefined;
  /** Orders that were refunded. */
  refunded?: number | undefined;
}

/** Request counts of a filler since the service started. */
export interface FillerQuotes {
  /** The number of quote requests. */
  asked?: number | undefined;
  /** How often it failed. */
  faulted?: number | undefined;
  /** Milliseconds, over its latest responses. */
  medianMs?: number | null | undefined;
  /** The number of quotes with an offer. */
  offered?: number | undefined;
  /** How often it said no. */
  refused?: number | undefined;
  /** Skipped, because its queue was full or its circuit breaker was open. */
  skipped?: number | undefined;
  /** How often it was too late. */
  timedOut?: number | undefined;
  /** Quotes in which its offer ranked first. */
  won?: number | undefined;
}

/** Why one filler has no offer, as `details.reasons` of a `CannotFillException` lists it. */
export interface FillerReason {
  /** The filler's name. */
  filler: string;
  /** The maximum, in raw units of the requested amount's token. */
  maximum?: string | null | undefined;
  /** The minimum, in raw units of the requested amount's token. */
  minimum?: string | null | undefined;
  /** The reason, as text for users. */
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
  /** How to recover the money without this service. */
  recovery?: Recovery | undefined;
  /** A plain sentence for each action. */
  summary?: string[] | undefined;
  /** The terms as the chain hashes them, enough to recover the money without this service. */
  terms?: Terms | undefined;
  /** What the payer should know before paying; absent where there is nothing. */
  warnings?: Warning[] | undefined;
}

/** The hub's contracts. */
export interface HubConfig {
  /** The hub's chain id. */
  chainId?: number | undefined;
  /** The contracts, by name. */
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
  /** The intent book. */
  crossChainIntentBook?: string | undefined;
  /** The deposit-address factory of each chain, by chain id. */
  depositor?: Record<string, string> | undefined;
  /** The hub's settler. */
  gateway?: string | undefined;
  /** The attester registry. */
  hyperlaneVerifier?: string | undefined;
  /** The intent book. */
  intentBook?: string | undefined;
  /** Not used here. */
  intentLib?: string | null | undefined;
  /** The vault factory. */
  mTokenManager?: string | undefined;
  /** The vault factory. */
  mTokenRegistry?: string | undefined;
  /** The vault factory. */
  mTokenVaultFactory?: string | undefined;
  /** Not used here. */
  stableAssetRateProvider?: string | null | undefined;
  /** Not used here. */
  vaultLib?: string | null | undefined;
}

/** An intent with its deposits. */
export type Intent = IntentSummary & {
  /** The deposits of the intent, at most one. */
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
  /** The id by which the chains know the order: 0x and 64 hex digits. */
  intentId?: string | undefined;
  /** The outcome that the attesters signed. */
  outcome?: AttestedOutcome | undefined;
  /** In ascending order of their signers, as the escrow requires; empty where both sides are on one chain. */
  signatures?: string[] | undefined;
}

/** A confirmed or submitted deposit of an intent. */
export interface IntentDeposit {
  /** Raw units. */
  amountIn?: string | undefined;
  /** Where the deposit was made. */
  chainId?: number | undefined;
  /** When its block was final. */
  confirmedAt?: string | null | undefined;
  /** When it was made or submitted, in ISO 8601 (UTC). */
  createdAt?: string | undefined;
  /** A number that identifies the deposit. */
  id?: number | undefined;
  /** The address of the token. */
  inputToken?: string | undefined;
  /** The id by which the chains know the order: 0x and 64 hex digits. */
  intentId?: string | undefined;
  /** The transaction: a hash on EVM chains, a signature on Solana. */
  txHash?: string | undefined;
}

/** The state of an intent. */
export type IntentState = "NonExistent" | "Open" | "Locked" | "Solved" | "Settled" | "Expired" | "Cancelled" | "Error";

/** An order as identified on chain. */
export interface IntentSummary {
  /** The address of the payer; lower case on EVM chains. */
  author?: string | undefined;
  /** When it was created, in ISO 8601 (UTC). */
  createdAt?: string | undefined;
  /** Raw units. */
  destAmount?: string | undefined;
  /** When the recipient was paid, in ISO 8601 (UTC); null before. */
  filledAt?: string | null | undefined;
  /** The chain that is paid on. */
  fromChainId?: number | undefined;
  /** The address of the token that is paid. */
  fromToken?: string | undefined;
  /** The id by which the chains know the order: 0x and 64 hex digits. */
  intentId: string;
  /** When the deposit was made; null before. */
  openedAt?: string | null | undefined;
  /** When the filler was paid; null before. */
  settledAt?: string | null | undefined;
  /** Raw units. */
  srcAmount?: string | undefined;
  /** The state of the intent. */
  state?: IntentState | undefined;
  /** The chain that is delivered on. */
  toChainId?: number | undefined;
  /** The address of the token that is delivered. */
  toToken?: string | undefined;
}

/** One problem of a request; a `ValidationException` lists all of them in `details.issues`. */
export interface Issue {
  /** What is wrong, and what is expected. */
  message: string;
  /** Which parameter or field. */
  path: string;
}

/** How to refund a jump without the service. */
export interface JumpRecovery {
  /** The chain id. */
  chainId?: number | undefined;
  /** The factory of the deposit address, where the chain has one. */
  depositFactory?: string | null | undefined;
  /** The escrow contract or program that holds the deposit. */
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
  /** The chain that is delivered on. */
  destinationChainId?: string | undefined;
  /** The escrow contract or program that holds the deposit. */
  escrow?: string | undefined;
  /** Later, all funds are returned. */
  expiry?: string | undefined;
  /** The token that is paid, as 32 bytes. */
  inputToken?: string | undefined;
  /** Whose signature opens the swap or returns the funds early. */
  maker?: string | undefined;
  /** Makes the order unique, and proves that we quoted it. */
  nonce?: string | undefined;
  /** The chain that is paid on. */
  originChainId?: string | undefined;
  /** The token that is delivered, as 32 bytes. */
  outputToken?: string | undefined;
  /** At least `rateOut` of the output for every `rateIn` of the input. */
  rateIn?: string | undefined;
  /** The minimum rate, as `rateOut` of output for `rateIn` of input. */
  rateOut?: string | undefined;
  /** The address that receives the output. */
  recipient?: string | undefined;
  /** Where a refund goes. */
  refundTo?: string | undefined;
  /** The version of the terms. */
  version?: string | undefined;
}

/** The native coin of a chain. */
export interface NativeCurrency {
  /** How many decimals an amount of it has. */
  decimals?: number | undefined;
  /** The name of the coin. */
  name?: string | undefined;
  /** The symbol, such as `USDC`. */
  symbol?: string | undefined;
}

/** An arrival at a deposit address in a final block. */
export interface ObservedDeposit {
  /** Raw units. */
  amount?: string | undefined;
  /** The chain id. */
  chainId?: number | undefined;
  /** The address of the token. */
  token?: string | undefined;
  /** `null` where the transaction was not found. */
  txHash?: string | null | undefined;
}

/** A swap order and its progress. */
export interface Order {
  /** The address of the payer; lower case on EVM chains. */
  author?: string | undefined;
  /** When it was created, in ISO 8601 (UTC). */
  createdAt?: string | undefined;
  /** The confirmed transaction, else the submitted one. */
  depositTxHash?: string | null | undefined;
  /** Raw units. */
  destAmount?: string | undefined;
  /** The order's id at a remote filler. */
  externalOrderId?: string | null | undefined;
  /** Why the order failed or was refunded, as text for users. */
  failureReason?: string | null | undefined;
  /** The account that delivers. */
  fillerAddress?: string | null | undefined;
  /** The chain that is paid on. */
  fromChainId?: number | undefined;
  /** The address of the token that is paid. */
  fromToken?: string | null | undefined;
  fromTokenMeta?: TokenMeta | null | undefined;
  /** Who holds the money until it is delivered, where a provider settles the order. */
  heldBy?: string | null | undefined;
  /** The id of the order. */
  id: string;
  /** The id of the order on chain. */
  intentId?: string | null | undefined;
  providerStatus?: ProviderStatus | null | undefined;
  /** The quote that it belongs to. */
  quoteId?: string | undefined;
  /** The address that receives the output. */
  recipient?: string | null | undefined;
  /** Where a refund goes. */
  refundTo?: string | null | undefined;
  /** What a refund looks like, where a provider settles the order. */
  refunds?: string | null | undefined;
  /** The route of that quote. */
  routeId?: string | undefined;
  /** `provider` where a liquidity provider settles the order; absent where the escrow of this service does. */
  settlement?: string | null | undefined;
  /** Raw units. */
  srcAmount?: string | undefined;
  /** `created`, `deposited`, `published`, `filled`, `refund_pending`, `refunded` or `failed`. */
  status: string;
  /** All statuses so far, in order. */
  stepsCompleted?: string[] | undefined;
  /** When the order reached its stages. */
  timestamps?: OrderTimestamps | undefined;
  /** The chain that is delivered on. */
  toChainId?: number | undefined;
  /** The address of the token that is delivered. */
  toToken?: string | null | undefined;
  toTokenMeta?: TokenMeta | null | undefined;
  /** `EXACT_INPUT` or `EXACT_OUTPUT`. */
  tradeType?: string | undefined;
  /** The transactions on the chains, as far as there are any. */
  transactions?: OrderTransactions | undefined;
  /** The kind of filler: `native-filler`, `rfq`, … */
  type?: string | undefined;
  /** When it changed last, in ISO 8601 (UTC). */
  updatedAt?: string | undefined;
}

/** One event of an order, as sent by the event stream. */
export interface OrderEvent {
  /** ISO 8601. */
  at?: string | undefined;
  /** What happened, as text for users. */
  detail?: string | undefined;
  /** The order that it belongs to. */
  orderId: string;
  /** The new status; absent where it did not change. */
  status?: string | null | undefined;
}

export interface OrderTimestamps {
  /** When it was created, in ISO 8601 (UTC). */
  createdAt?: string | undefined;
  /** A deposit in a later block is returned instead of delivered for. */
  depositBefore?: string | null | undefined;
  /** When it failed. */
  failedAt?: string | null | undefined;
  /** When a filler took it. */
  publishedAt?: string | null | undefined;
  /** From then on anybody may send an undelivered deposit back to `refundTo`. */
  refundAt?: string | null | undefined;
}

export interface OrderTransaction {
  /** Raw units. */
  amount?: string | null | undefined;
  /** The chain of the transaction. */
  chainId?: number | undefined;
  /** The block's timestamp. */
  timestamp?: string | undefined;
  /** The transaction: a hash on EVM chains, a signature on Solana. */
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
  /** Where the next page starts; absent on the last page. */
  cursor?: number | null | undefined;
  /** The entries of this page. */
  data: FiatOrder[];
}

/** One page of a list; `cursor` is absent on the last page and is passed back unchanged. */
export interface Page_IntentSummary {
  /** Where the next page starts; absent on the last page. */
  cursor?: number | null | undefined;
  /** The entries of this page. */
  data: IntentSummary[];
}

/** One page of a list; `cursor` is absent on the last page and is passed back unchanged. */
export interface Page_Order {
  /** Where the next page starts; absent on the last page. */
  cursor?: number | null | undefined;
  /** The entries of this page. */
  data: Order[];
}

/** One page of a list; `cursor` is absent on the last page and is passed back unchanged. */
export interface Page_Token {
  /** Where the next page starts; absent on the last page. */
  cursor?: number | null | undefined;
  /** The entries of this page. */
  data: Token[];
}

/** What to send, where and until when. */
export interface Payment {
  /** Raw units. */
  amount?: string | undefined;
  /** The CAIP-2 id of the chain, such as `eip155:8453`. */
  caip2?: string | undefined;
  /** The chain id. */
  chainId?: number | undefined;
  /** How many decimals an amount of it has. */
  decimals?: number | undefined;
  /** The address that the payer sends to. */
  depositAddress: string;
  /** Unix seconds; later transfers are refunded. */
  expiresAt?: number | undefined;
  /** The order, which exists from now on. */
  orderId?: string | undefined;
  /** A payment link for wallets; absent where no reliable format exists. */
  paymentUri?: string | null | undefined;
  /** Absolute URL of a QR code as SVG. */
  qrImageUrl?: string | undefined;
  /** The content of the QR code. */
  qrPayload?: string | undefined;
  /** The address of the token to send. */
  token?: string | undefined;
}

/** A way to pay. */
export interface PaymentMethod {
  /** The id, such as `card`. */
  id?: string | undefined;
  /** The display name. */
  name?: string | undefined;
}

/** A deposit that the payer signs and the service submits. */
export type PermitDeposit = FrozenOrder & {
  /** The approval that Permit2 needs first; absent where the allowance suffices. */
  approvals?: Approval[] | undefined;
  /** The id by which the chains know the order: 0x and 64 hex digits. */
  intentId?: string | undefined;
  /** The order as EIP-712 typed data, which is signed as well; present for `PERMIT` only. */
  order?: Record<string, unknown> | null | undefined;
  /** EIP-712 typed data for `eth_signTypedData_v4`: `domain`, `types`, `primaryType`, `message`. */
  permit: Record<string, unknown>;
  /** The transfer that the signature allows. */
  transferDetails?: TransferDetails | undefined;
};

/** The price of one whole token. */
export interface Price {
  /** US dollars per whole token, as a decimal number. */
  usd?: string | undefined;
}

/**
 * A payment to the contracts of a liquidity provider, which settles the swap: the escrow has no part in it, so there are no
 * `terms` and no `recovery`.
 */
export interface ProviderDeposit {
  /** In this order; exactly one has `deposit: true`, and its transaction hash must be submitted, or on Solana the signed transaction. */
  approvals?: Approval[] | undefined;
  /** Who holds the money until it is delivered. */
  heldBy?: string | undefined;
  /** The least output, in raw units. */
  minAmountOut?: string | undefined;
  /** The order to track once the transaction hash is submitted. */
  orderId?: string | undefined;
  /** The provider's name. */
  provider?: string | undefined;
  /** What a refund looks like. */
  refunds?: string | undefined;
  /** Always `provider`. */
  settlement?: string | undefined;
  /** The provider's contract that takes the input by an allowance; absent for native coins and on Solana. */
  spender?: string | null | undefined;
  /** A plain sentence for each action, for who holds the money and for refunds. */
  summary?: string[] | undefined;
  /** The provider's contract that the transaction calls. */
  target?: string | undefined;
  /** The bridge or exchange that the provider goes through. */
  tool?: string | undefined;
  /** What the payer should know before paying; absent where there is nothing. */
  warnings?: Warning[] | undefined;
}

/** The filler's progress. */
export interface ProviderStatus {
  /** `waiting`, `asked`, `accepted`, `declined`, `delivered`, `paid` or `returned`. */
  nativeStatus?: string | undefined;
  /** The filler's name. */
  provider?: string | undefined;
}

/**
 * A plain transfer to an address of a liquidity provider, which settles the swap. Nothing of ours protects it: the address is
 * the provider's word, the escrow has no part in it, and there are no `terms` and no `recovery`.
 */
export type ProviderTransferDeposit = Payment & {
  /** The same values, for clients that expect them here. */
  deposit?: Payment | undefined;
  /** Who holds the money until it is delivered. */
  heldBy?: string | undefined;
  /** The least output, in raw units. */
  minAmountOut?: string | undefined;
  /** The provider's name. */
  provider?: string | undefined;
  /** Who receives the output. */
  recipient?: string | undefined;
  /** Where the provider returns the input if it does not deliver. */
  refundTo?: string | undefined;
  /** What a refund looks like. */
  refunds?: string | undefined;
  /** Always `provider`. */
  settlement?: string | undefined;
  /** A plain sentence for the transfer, for who holds the money and for refunds. */
  summary?: string[] | undefined;
  /** What the provider goes through. */
  tool?: string | undefined;
  /** What the payer should know before paying; absent where there is nothing. */
  warnings?: Warning[] | undefined;
};

/** A quote and the routes that answered, best first. */
export interface QuoteAnswer {
  /** The id to build with. */
  quoteId: string;
  /** The routes, best first; may be empty. */
  routes: Route[];
}

/** A swap quote request. */
export interface QuoteAsk {
  /** Raw units of `fromToken` on exact input, of `toToken` on exact output. */
  amount: string;
  /** Keep only routes that offer one of these. */
  depositMethods?: string[] | null | undefined;
  /**
   * Seconds after the price expires in which the deposit may still be opened, 600 to 86400, for wallets that execute later
   * what was proposed to them. Without it, ten minutes. Not possible with `TRANSFER`.
   */
  depositWithin?: number | null | undefined;
  /** The wallet that signs the deposit. */
  fromAddress: string;
  /** The chain that is paid on. */
  fromChainId: number;
  /** The address of the token that is paid. */
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
  /** The chain that is delivered on. */
  toChainId: number;
  /** The address of the token that is delivered. */
  toToken: string;
  /** `EXACT_INPUT` or `EXACT_OUTPUT`. */
  tradeType: string;
}

/** How to get the deposit back without the service, with `terms` and any wallet. */
export interface Recovery {
  /** The chain of the escrow. */
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
  /** Of `CONTRACT_CALL`, `PERMIT2`, `AUTHORIZATION`, `PERMIT`, `TRANSFER`: exactly those that the price pays for. */
  depositMethods?: string[] | undefined;
  /** On exact output: `native` if the filler guarantees the output, `adaptive` if the input has a buffer. */
  exactOutMethod?: string | null | undefined;
  /** The filler's name. */
  filler?: string | null | undefined;
  /** Who holds the money until it is delivered, where a provider settles the swap. */
  heldBy?: string | null | undefined;
  /** Absolute URL. */
  icon?: string | null | undefined;
  /** The route's amounts and fees. */
  quote: RouteQuote;
  /** What a refund looks like, where a provider settles the swap. */
  refunds?: string | null | undefined;
  /** The offer itself, sealed: at most 1,024 characters of the URL-safe alphabet, passed on as it came. */
  routeId: string;
  /**
   * `provider` where a liquidity provider settles the swap through contracts of its own; absent where the escrow of this
   * service does.
   */
  settlement?: string | null | undefined;
  /** The kind of filler: `native-filler`, `rfq`, `oif`, … */
  type?: string | undefined;
  /** What the payer should know before paying; absent where there is nothing. */
  warnings?: Warning[] | undefined;
}

/** Amounts, fees and validity of a route. */
export interface RouteQuote {
  /** Raw units of the input token. */
  amountIn: string;
  /** What `amountIn` is worth in US dollars. */
  amountInUsd?: string | null | undefined;
  /** Raw units of the output token. */
  amountOut: string;
  /** What `amountOut` is worth in US dollars. */
  amountOutUsd?: string | null | undefined;
  /** Raw units of the source chain's native coin. */
  estimatedGas?: string | null | undefined;
  /** How long the swap usually takes. */
  expectedDurationSeconds: number;
  /**
   * Where the difference goes. Those of our own fillers are in the input token, and add up to `amountIn` less the value of
   * `amountOut` at `price`, rounded up to one unit.
   */
  fees?: Fee[] | undefined;
  /** After slippage; equals `amountOut` where the filler guarantees it. */
  minAmountOut?: string | undefined;
  /**
   * Unix seconds; the last moment in which the deposit is opened, where the request named `depositWithin`. After
   * `validBefore` it is filled if the swap still pays for itself, and returned if not.
   */
  openUntil?: number | null | undefined;
  /** Output tokens for one input token at the market's prices, without any fee. */
  price?: string | null | undefined;
  /** Unix seconds; until when the price is guaranteed. */
  quoteExpiresAt?: number | null | undefined;
  /** The tolerance as used, as a fraction. */
  slippageTolerance?: number | null | undefined;
  /** `1-click` (no approval needed) or `needs-approval`. */
  tags?: string[] | undefined;
  /** By how many percent the output is worth less than the input at `price`; negative if it is worth more. */
  totalFeePercent?: string | null | undefined;
  /** Unix seconds; a deposit is not built after it. */
  validBefore?: number | undefined;
}

export interface RpcEndpoints {
  /** Addresses of JSON-RPC endpoints. */
  http?: string[] | undefined;
}

/** Public RPC URLs by purpose. */
export interface RpcUrls {
  /** The endpoints to use. */
  default?: RpcEndpoints | undefined;
}

/** A transaction for a Solana wallet to sign, then to send or to submit. */
export interface SolanaApproval {
  /** Whether this transaction is the deposit. Submit it signed. */
  deposit?: boolean | null | undefined;
  /** A version 0 transaction in base64, with room for the payer's signature. */
  transaction: string;
}

/** Information about the running service. */
export interface Status {
  /** How many chains are enabled. */
  chains?: number | undefined;
  /** `sandbox` or `production`. */
  mode?: string | undefined;
  /** The name of the software. */
  name?: string | undefined;
  /** Whether the service can answer quotes. */
  ready?: boolean | undefined;
  /** When it was started, in ISO 8601 (UTC). */
  startedAt?: string | undefined;
  /** `sqlite` or `postgres`. */
  store?: string | undefined;
  /** How many tokens the catalog has. */
  tokens?: number | undefined;
  /** The version of the software. */
  version?: string | undefined;
}

/** A line of a streamed response: a route with the id of its quote. */
export type StreamedRoute = Route & {
  /** The quote that it belongs to. */
  quoteId: string;
};

/** The order that the deposit belongs to. */
export interface SubmitAnswer {
  /** The order to track. */
  orderId: string;
  /** The transaction: a hash on EVM chains, a signature on Solana. */
  txHash?: string | undefined;
}

/** Reports a deposit or submits a signed one; exactly one of the three proofs. */
export interface SubmitAsk {
  /** The quote, as it was answered. */
  quoteId: string;
  /** The route that was built. */
  routeId: string;
  /** The payer's signature of the permit, in hex. For `PERMIT`: its 65 bytes, followed by the signature of the order. */
  signature?: string | null | undefined;
  /** The deposit's transaction, signed, for us to send: hex with `0x` on EVM, base64 on Solana. */
  signedTransaction?: string | null | undefined;
  /** The deposit's transaction: its hash, `0x` and 64 hex digits, on EVM; its signature in base58 on Solana. */
  txHash?: string | null | undefined;
}

/** An example input. */
export interface Suggestion {
  /** A description. */
  description?: string | undefined;
  /** The text to type. */
  text?: string | undefined;
}

/**
 * Every term of an order by the name that the contracts give it; hashed in this order they are the intent's id.
 *
 * Addresses are 32 bytes in hex, an EVM address in the last 20; numbers are decimal strings; times are Unix seconds.
 */
export interface Terms {
  /** The input amount, in raw units. */
  amountIn: string;
  /** The output amount, in raw units. */
  amountOut: string;
  /** The chain that is delivered on. */
  destinationChainId: string;
  /** The set of attesters that decides. */
  epoch: string;
  /** The escrow contract or program that holds the deposit. */
  escrow: string;
  /** Until when the order can be delivered, in Unix seconds. */
  fillDeadline: string;
  /** The account that may give the order up. */
  filler: string;
  /** The token that is paid, as 32 bytes. */
  inputToken: string;
  /** Makes the order unique, and proves that we quoted it. */
  nonce: string;
  /** Until when the deposit can be made, in Unix seconds. */
  openDeadline: string;
  /** The chain that is paid on. */
  originChainId: string;
  /** The token that is delivered, as 32 bytes. */
  outputToken: string;
  /** The account that receives the claim. */
  payee: string;
  /** The recipient of the output, as 32 bytes. */
  recipient: string;
  /** Zero for no referrer. */
  referrer: string;
  /** The referrer's share of the input, in raw units. */
  referrerFee: string;
  /** When anybody may refund, in Unix seconds. */
  refundAt: string;
  /** Where a refund goes, as 32 bytes. */
  refundTo: string;
  /** The contract that records the delivery. */
  settler: string;
  /** The payer, as 32 bytes. */
  user: string;
  /** The version of the terms. */
  version: string;
}

/** A token on one chain. */
export interface Token {
  /** Checksummed on EVM chains; 40 zeros (EVM) or 32 ones (Solana) for the chain's own coin. */
  address: string;
  /** The chain id. */
  chainId: number;
  /** How many decimals an amount of it has. */
  decimals?: number | undefined;
  extensions?: TokenExtensions | null | undefined;
  /** The token's identifier string. */
  id?: string | null | undefined;
  /** The address of its logo: of its token list, or drawn by this service. */
  logoURI?: string | null | undefined;
  /** The display name. */
  name?: string | undefined;
  /** The chain family: `eip155` or `solana`. */
  platform?: string | null | undefined;
  /** The symbol, such as `USDC`. */
  symbol?: string | undefined;
}

/** Additional data of a token. */
export interface TokenExtensions {
  /** Raw balance of the requested address. */
  balance?: string | null | undefined;
  /** The change of the price in a day, as a fraction. */
  change?: string | null | undefined;
  /** The symbol imitates a well-known token under another address. */
  isRiskToken?: boolean | null | undefined;
  /** Its liquidity in US dollars. */
  liquidity?: string | null | undefined;
  /** Its market capitalization in US dollars. */
  marketCap?: string | null | undefined;
  price?: Price | null | undefined;
  /** The underlying token of a vault share, as an identifier. */
  spokeToken?: string | null | undefined;
  /** The volume of a day in US dollars. */
  volume?: string | null | undefined;
}

/** Token data for displaying an amount. */
export interface TokenMeta {
  /** How many decimals an amount of it has. */
  decimals?: number | undefined;
  /** The address of its logo, if it has one of its own. */
  logoURI?: string | null | undefined;
  /** The symbol, such as `USDC`. */
  symbol?: string | undefined;
}

/** A transfer to an address of an order that our contracts know. */
export type Transfer = Payment & {
  /** The id by which the chains know the order: 0x and 64 hex digits. */
  intentId?: string | undefined;
};

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
  /** The kind of the vault. */
  backend?: string | undefined;
  /** Of the shares. */
  decimals?: number | undefined;
  /** A description of the vault. */
  description?: string | undefined;
  /** More about the vault. */
  extensions?: Record<string, unknown> | null | undefined;
  /** The name of the share token. */
  name?: string | undefined;
  /** The symbol of the share token. */
  symbol?: string | undefined;
  /** The same contract: deposits go to it directly. */
  teller?: string | undefined;
  /** Whether it holds play money. */
  testnet?: boolean | null | undefined;
  /** The ERC-4626 contract, which is its own share token. */
  vault?: string | undefined;
}

/** A request to pass to an EVM wallet. */
export interface WalletApproval {
  /** Whether this transaction is the deposit. Submit its transaction hash. */
  deposit?: boolean | null | undefined;
  /** The request for the wallet. */
  request: WalletRequest;
  /** The chain must confirm it before the next one. */
  waitForReceipt?: boolean | null | undefined;
}

/** The arguments of EIP-1193's `request`. */
export interface WalletRequest {
  /** `wallet_switchEthereumChain` or `eth_sendTransaction`. */
  method: string;
  /** The parameters of the method. */
  params: unknown[];
}

/** What a payer should know before paying. */
export interface Warning {
  /**
   * `PRICE_IMPACT`, `HIGH_FEES`, `LOOKALIKE_TOKEN`, `UNUSUAL_SLIPPAGE`, `TOKEN_CONTRACT`, `NO_WAY_OUT` or
   * `CONTRACT_ELSEWHERE`; there may be more.
   */
  code?: string | undefined;
  /** The field of the quote request that it is about. */
  field?: string | null | undefined;
  /** Text for people. */
  message?: string | undefined;
  /** `info`, `warning` or `severe`. A severe one needs the payer's yes. */
  severity?: string | undefined;
}
