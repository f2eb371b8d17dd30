/** The answers that the start page reads. */
export interface Status {
  name: string;
  version: string;
  mode: string;
  startedAt: string;
  chains: number;
  tokens: number;
  store: string;
  ready: boolean;
}

export interface Chain {
  id: number;
  name: string;
  type: string;
  caip2: string;
  nativeCurrency: { name: string; symbol: string; decimals: number };
  enabled: boolean;
}

export interface Token {
  address: string;
  chainId: number;
  name: string;
  symbol: string;
  decimals: number;
  extensions?: { isRiskToken?: boolean; price?: { usd: string } };
}

export interface Suggestion {
  text: string;
  description: string;
}

export interface Autocomplete {
  data: { description: string; chain: Chain; token: Token; amount?: string; usdAmount?: string }[];
  parsed: string;
  nextSlots: string[];
}

/** What the QR example shows. */
export interface Payment {
  symbol: string;
  chain: string;
  caip2: string;
  token: string;
  decimals: number;
  amount: string;
}

/** How far a purchase has come. */
export interface FiatStatus {
  orderId: string;
  status: "created" | "pending" | "processing" | "completed" | "failed" | "canceled" | "expired";
  progress: string;
  fillTxHash?: string;
  failedReason?: string;
  errorReason?: string;
  provider: string;
  swapStrategy: "direct" | "jump";
  swapOrderId?: string;
  polling: { suggestedIntervalMs: number; isTerminal: boolean };
}

/** One provider's offer. */
export interface FiatQuote {
  quoteId: string;
  provider: string;
  providerName: string;
  swapStrategy: "direct" | "jump";
  fiatCurrency: string;
  fiatAmount: string;
  totalFee: string;
  expectedOutputAmount: string;
  minOutputAmount: string;
}
