import { executeSwap, type Bound, type Client, type ExecuteOptions, type QuoteAsk, type RouteQuote, type StreamedRoute, type Wallet } from '@causeway/sdk';

/** Methods that ask a person to sign; a wallet is asked for them only after the review. */
const SIGNING = new Set(['wallet_switchEthereumChain', 'wallet_addEthereumChain', 'eth_sendTransaction', 'wallet_sendCalls', 'eth_signTypedData_v4']);

/**
 * Carries out a route that was quoted before, with every check of `executeSwap`.
 *
 * The SDK quotes by itself and takes one of the routes; here it is answered with the quote that the person has looked at. Nothing
 * reaches the wallet to be signed before `confirmed` is fulfilled. The bound is what the route itself promised.
 */
export async function executeHeldQuote(
  client: Client, ask: QuoteAsk, route: StreamedRoute, wallet: Wallet, confirmed: Promise<void>, options: ExecuteOptions,
): Promise<void> {
  const { quoteId, ...chosen } = route;
  const held = JSON.stringify({ quoteId, routes: [chosen] });
  const quotes = `${client.baseUrl}/v1/quotes`;
  const fetch: Client['fetch'] = async (input, init) =>
    (String(input) === quotes ? new Response(held, { headers: { 'content-type': 'application/json' } }) : client.fetch(input, init));
  await executeSwap({ ...client, fetch }, ask, gated(wallet, confirmed), { ...options, ...boundOf(ask, route.quote) });
}

/** What was accepted is the worst that may be signed: the least output, or on exact output the input. */
export function boundOf({ tradeType }: QuoteAsk, { amountIn, amountOut, minAmountOut = amountOut }: RouteQuote): Bound {
  return tradeType === 'EXACT_OUTPUT' ? { maxAmountIn: amountIn } : { minAmountOut };
}

function gated(wallet: Wallet, confirmed: Promise<void>): Wallet {
  if ('checkTransaction' in wallet) {
    return { ...wallet, signTransaction: async (bytes) => (await confirmed, wallet.signTransaction(bytes)) };
  }
  return {
    request: async (args: { method: string; params?: any }) => {
      if (SIGNING.has(args.method)) await confirmed;
      return wallet.request(args);
    },
  };
}
