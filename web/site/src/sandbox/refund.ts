import { buildDeposit, getOrder, getQuote, isTerminal, type QuoteAsk } from '@causeway/sdk';
import { client, getJson } from '../site.js';
import { letFail, readFillers, usdcOn } from './fillers.js';

const [BASE, ARBITRUM] = [8453, 42161];
const AMOUNT = '25000000';
/** Account 9 of the development phrase, which gets the refund. */
const PAYER = '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720';

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** What the button does on the way, for whom it may concern. */
export interface Watching {
  say: (words: string) => void;
  made: (orderId: string) => void;
}

/** An order to a chain that is paid while the fillers fail there. Ends when the deposit came back, with the fillers healed. */
export async function watchRefund(chainId: number, { say, made }: Watching): Promise<void> {
  const from = chainId === BASE ? ARBITRUM : BASE;
  const [fromToken, toToken] = [usdcOn(from), usdcOn(chainId)];
  if (!fromToken || !toToken) throw new Error('That chain has no USDC.');
  const healthy = (await readFillers()).filter(({ failing }) => !failing.includes(chainId));
  const ask: QuoteAsk = {
    tradeType: 'EXACT_INPUT', fromChainId: from, fromToken, toChainId: chainId, toToken, amount: AMOUNT,
    fromAddress: PAYER, recipient: PAYER, refundTo: PAYER, depositMethods: ['TRANSFER'],
  };
  const { quoteId, routes } = await getQuote(client, ask);
  const route = routes[0];
  if (!route) throw new Error('Nobody offers that swap now.');
  const built = await buildDeposit(client, { quoteId, routeId: route.routeId, from: PAYER, recipient: PAYER, refundTo: PAYER, depositMethod: 'TRANSFER' });
  const { orderId, depositAddress } = (built as { deposit?: { orderId: string; depositAddress: string } }).deposit ?? {};
  if (!orderId || !depositAddress) throw new Error('The service built no transfer.');
  made(orderId);
  try {
    say('The fillers fail');
    for (const { name } of healthy) await letFail(name, true, chainId);
    say('The order is paid');
    await getJson('/sandbox/faucet', { method: 'POST', body: JSON.stringify({ chainId: from, address: depositAddress, token: fromToken, amount: AMOUNT }) });
    say('Nobody delivers');
    for (;;) {
      const { status } = await getOrder(client, orderId);
      if (status === 'refund_pending') say('The deposit goes back');
      if (isTerminal(status)) break;
      await pause(1000);
    }
  } finally {
    for (const { name } of healthy) await letFail(name, false, chainId);
  }
}
