// Type tests: checked by tsc, never run.
import {
  createCauseway, createClient, executeSwap, getBalances, getOrderOf, getQuote, parseTokenIdentifier, ServiceError, startCheckout,
  streamQuotes, trackOrder, waitForBatch,
} from '@causeway/sdk';
import type {
  Approval, Balances, BuildAnswer, Causeway, CheckoutResult, Client, Eip1193Provider, ErrorCode, FiatOrderAnswer, FiatStatus, Order,
  QuoteAnswer, QuoteAsk, SolanaSigner, StreamedRoute,
} from '@causeway/sdk';
import { fromEthers } from '@causeway/sdk/ethers';
import { fromWalletStandard } from '@causeway/sdk/solana';
import { checkTransfer } from '@causeway/sdk/transfer';
import { fromViem } from '@causeway/sdk/viem';
import type { JsonRpcSigner, Wallet as EthersWallet } from 'ethers';
import type { EIP1193Provider, WalletClient } from 'viem';

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const is = <_ extends true>() => {};

declare const ask: QuoteAsk;
declare const order: FiatOrderAnswer;
declare const signal: AbortSignal;

// Only the base URL is required.
const client = createClient({ baseUrl: 'http://a', fetch, headers: { a: 'b' }, timeout: 1 });
is<Equal<typeof client, Client>>();
// @ts-expect-error
createClient({});
// @ts-expect-error
createClient({ baseUrl: 'http://a', timeOut: 1 });

// Responses have the types of the API document.
is<Equal<ReturnType<typeof getQuote>, Promise<QuoteAnswer>>>();
is<Equal<ReturnType<typeof getOrderOf>, Promise<Order | null>>>();
is<Equal<ReturnType<typeof getBalances>, Promise<Balances>>>();
is<Equal<ReturnType<typeof trackOrder>, Promise<Order>>>();
is<Equal<ReturnType<typeof streamQuotes>, AsyncGenerator<StreamedRoute, void>>>();
is<Equal<ReturnType<typeof startCheckout>, Promise<CheckoutResult>>>();
is<Equal<CheckoutResult['outcome'], 'completed' | 'failed' | 'canceled' | 'aborted'>>();
is<Equal<CheckoutResult['finalStatus'], FiatStatus>>();
is<Equal<QuoteAsk['amount'], string>>();
is<Equal<Order['fromToken'], string | null | undefined>>();

// Requests are checked.
getQuote(client, ask, { signal, timeout: 1 });
// @ts-expect-error amounts are strings
getQuote(client, { ...ask, amount: 1 });
// @ts-expect-error
getQuote(client, { tradeType: 'EXACT_INPUT' });

// Unions are discriminated by their kind.
function narrowed(built: BuildAnswer, approval: Approval): string {
  if (approval.type === 'solana_sendTransaction') return approval.transaction;
  is<Equal<typeof approval.type, 'eip1193_request'>>();
  switch (built.kind) {
    case 'TRANSFER':
    case 'PROVIDER_TRANSFER':
      return built.depositAddress;
    case 'PERMIT2':
    case 'AUTHORIZATION':
    case 'PERMIT':
      return built.transferDetails?.to ?? '';
    case 'PROVIDER_CALL':
      return built.target ?? '';
    default:
      is<Equal<typeof built.kind, 'CONTRACT_CALL'>>();
      return built.approvals.length.toString();
  }
}
narrowed satisfies (built: BuildAnswer, approval: Approval) => string;

// Methods take the arguments of the functions, without the client.
const causeway: Causeway = createCauseway({ baseUrl: 'http://a' });
is<Equal<ReturnType<Causeway['getQuote']>, Promise<QuoteAnswer>>>();
is<Equal<Parameters<Causeway['getOrderOf']>['length'], 2 | 3>>();
causeway.getTokens({ chainIds: [1], limit: 1 }, { signal });
// @ts-expect-error
causeway.getOrderOf('0x');
causeway.fiat.startCheckout(order, { popup: { width: 1, height: 1 }, minPollIntervalMs: 1, signal, onStatus() {}, onEvent() {} });
causeway.fiat.startCheckout(Promise.resolve(order));
// @ts-expect-error an order is needed
causeway.fiat.startCheckout('o1');

// Wallets of the libraries are accepted.
declare const viem: WalletClient;
declare const local: EthersWallet;
declare const remote: JsonRpcSigner;
declare const provider: EIP1193Provider;
is<Equal<ReturnType<typeof fromViem>, Eip1193Provider>>();
const bound = { minAmountOut: '1' };
executeSwap(client, ask, fromViem(viem), bound);
executeSwap(client, ask, fromEthers(local), { price: { from: '1', to: '3500', tolerance: 0.02 } });
executeSwap(client, ask, fromEthers(remote), { price: async () => ({ from: '1', to: '3500' }) });
executeSwap(client, ask, provider, { confirm: async (route) => route.routeId === 'north' });
executeSwap(client, ask, fromWalletStandard({ name: 'w', features: {} }, { address: 'a' }) satisfies SolanaSigner, bound);
// @ts-expect-error a bound is needed
executeSwap(client, ask, provider);
// @ts-expect-error
executeSwap(client, ask, {}, bound);
// @ts-expect-error
executeSwap(client, ask, provider, { depositMethod: 'TRANSFER' });
executeSwap(client, ask, provider, { ...bound, escrows: { 8453: '0x' } });
// A provider is trusted by its address, or with what it leaves unchecked.
executeSwap(client, ask, provider, { ...bound, trustedProviders: { 8453: ['0x', { contract: '0x', unchecked: ['recipient', 'output', 'effects'] }] } });
const addresses: Record<number, string[]> = {};
executeSwap(client, ask, provider, { ...bound, trustedProviders: addresses });
// @ts-expect-error
executeSwap(client, ask, provider, { ...bound, trustedProviders: { 8453: [{ contract: '0x', unchecked: ['settler'] }] } });
// A batch of a step can be followed later, by an EVM wallet.
executeSwap(client, ask, provider, { ...bound, onStep: (step) => step.type === 'batched' && void waitForBatch(provider, step, { signal }).then((txHash) => txHash.length) });
// @ts-expect-error
waitForBatch(provider, { batchId: 'b' });

// `checkTransfer` accepts only transfers.
function checked(built: BuildAnswer, { quote }: StreamedRoute): Promise<void> | undefined {
  // @ts-expect-error
  checkTransfer(ask, quote, built, { minAmountOut: '1' });
  return built.kind === 'TRANSFER' ? checkTransfer(ask, quote, built, { minAmountOut: '1', escrows: { 8453: '0x' } }) : undefined;
}
checked satisfies (built: BuildAnswer, route: StreamedRoute) => unknown;

const { chainId, address } = parseTokenIdentifier('eip155:1:0x');
is<Equal<[typeof chainId, typeof address], [number, string]>>();

function codeOf(error: ServiceError): ErrorCode {
  // @ts-expect-error no such code
  if (error.code === 'SVC9999') return error.code;
  return error.code;
}
codeOf satisfies (error: ServiceError) => ErrorCode;
