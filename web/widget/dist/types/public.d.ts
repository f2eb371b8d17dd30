/** The options and events of the widget. These types depend on nothing else. */

/** A token: `eip155:<chain id>:<address>`, `solana:<reference>:<mint>`, `{ chainId, address }`, or that object as JSON text. */
export type TokenInput = string | { chainId: number; address: string };

/** What the widget offers, in the order of its tabs. */
export type Method = 'swap' | 'transfer' | 'buy';

/** A wallet of EVM chains by EIP-1193, such as `window.ethereum` or what wagmi's `connector.getProvider()` returns. */
export interface Eip1193Like {
  request(args: { method: any; params?: any }): Promise<unknown>;
}

/** A wallet client of viem with an account. */
export interface ViemWalletLike extends Eip1193Like {
  account?: { address: string; type: string } | undefined;
  getChainId(): Promise<number>;
  sendTransaction(args: any): Promise<string>;
  signTypedData(args: any): Promise<string>;
}

/** A Solana wallet adapter, or anything that signs the bytes of a transaction. */
export interface SolanaWalletLike {
  address?: string;
  publicKey?: { toString(): string } | null;
  signTransaction(transaction: any): Promise<any>;
}

/** A wallet by the Wallet Standard. */
export interface StandardWalletLike {
  name: string;
  accounts: readonly { address: string }[];
  features: Readonly<Record<string, unknown>>;
}

export type HostWallet = Eip1193Like | ViemWalletLike | SolanaWalletLike | StandardWalletLike;

/** A network as EIP-3085 describes it. */
export interface WalletChainLike {
  chainName: string;
  rpcUrls: string[];
  nativeCurrency: { name: string; symbol: string; decimals: number };
  blockExplorerUrls?: string[] | undefined;
}

/** A contract of a liquidity provider, and what its calls do not say, so that the service's word is taken for it. */
export interface TrustedContract {
  contract: string;
  unchecked?: readonly ('recipient' | 'output' | 'effects')[] | undefined;
}

/** Contracts by source chain; an address alone leaves nothing unchecked. */
export type TrustedContracts = Readonly<Record<number, readonly (string | TrustedContract)[]>>;

/**
 * What a host trusts a liquidity provider with: contracts that may be called and may get an allowance, by source chain, with what their
 * calls leave unchecked, or, for one that is paid at an address, whatever address it names.
 */
export type ProviderTrust = TrustedContracts | 'any-address';

/** Every option is a property; those that can be text are attributes too, such as `api-endpoint` for `apiEndpoint`. */
export interface WidgetOptions {
  /** Base URL of the swap API. Defaults to the origin of the script. */
  apiEndpoint?: string | undefined;
  /** Base URL of the fiat API. Defaults to `apiEndpoint`. */
  fiatApiEndpoint?: string | undefined;
  /** Origin that serves QR codes. Defaults to the origin of `apiEndpoint`. */
  embedUrl?: string | undefined;
  /** URL of the QR code API. Defaults to `{embedUrl}/api/qrcode`. A relative path is resolved against `embedUrl`. */
  qrCodeApiUrl?: string | undefined;
  theme?: 'light' | 'dark' | 'auto' | undefined;
  layout?: 'auto' | 'compact' | 'wide' | undefined;
  locale?: string | undefined;
  fromToken?: TokenInput | undefined;
  toToken?: TokenInput | undefined;
  /** A decimal, such as `1.5`, in the token whose amount `tradeType` fixes. */
  amount?: string | undefined;
  tradeType?: 'EXACT_INPUT' | 'EXACT_OUTPUT' | undefined;
  recipient?: string | undefined;
  refundTo?: string | undefined;
  /** A fraction: 0.005 is half a percent. */
  slippageTolerance?: number | undefined;
  /** Which of `swap`, `transfer` and `buy` to offer. Defaults to all. */
  methods?: readonly Method[] | string | undefined;
  /** Chain ids to choose from. Defaults to all chains of the service. */
  chains?: readonly number[] | string | undefined;
  fiatCurrency?: string | undefined;
  fiatAmount?: string | undefined;
  /** The buyer's country, as an ISO 3166 code. */
  country?: string | undefined;
  /** How a checkout is shown. Defaults to `popup`. */
  checkout?: 'popup' | 'frame' | 'redirect' | undefined;
  hideTitle?: boolean | undefined;
  /** The address that receives `referrerFeeBps` on the source chain. */
  referrer?: string | undefined;
  referrerFeeBps?: number | undefined;
  /** Shows this order instead of the form. */
  orderId?: string | undefined;
  /** `url` keeps the running order in the page's URL, `none` does not. */
  resume?: 'url' | 'none' | undefined;
  /** Words of the host's own by their names in `src/locales/en.ts`, such as `titleSwap`, in place of the widget's. */
  texts?: Readonly<Record<string, string>> | undefined;
  /** The host's own wallets; the widget then offers no others. */
  wallets?: HostWallet | readonly HostWallet[] | undefined;
  /** The only escrows that deposits may go to, by source chain. Defaults to published ones, and to the sandbox's if the service runs on this machine. */
  escrows?: Readonly<Record<number, string>> | undefined;
  /**
   * The liquidity providers that may settle swaps, by their names, such as `{ zerox: { 8453: ['0x0000…'] }, oneclick: 'any-address' }`. They
   * hold the money meanwhile, and no escrow refunds it. Defaults to none.
   */
  trustedProviders?: Readonly<Record<string, ProviderTrust>> | undefined;
  /** Chains that a wallet may add, by chain id. Defaults to none, except for a sandbox on this machine. */
  walletChains?: Readonly<Record<number, WalletChainLike>> | undefined;
  /** Headers of every request to the API. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** What is fired on the element; all of them bubble out of shadow trees. */
export interface WidgetEvents {
  /** A route came in. */
  quote: { quoteId: string; routeId: string; amountIn: string; amountOut: string };
  'wallet-connected': { family: 'eip155' | 'solana'; address: string };
  'deposit-submitted': { orderId: string; txHash?: string | undefined };
  /** An order or a purchase has another status. */
  status: { kind: 'swap' | 'transfer' | 'buy'; orderId: string; status: string };
  success: { kind: 'swap' | 'transfer' | 'buy'; orderId: string; txHash?: string | undefined };
  error: { code: string; message: string };
  /** The person stopped: rejected in the wallet, closed the checkout, left the review. */
  cancel: { kind: 'swap' | 'transfer' | 'buy'; orderId?: string | undefined };
}
