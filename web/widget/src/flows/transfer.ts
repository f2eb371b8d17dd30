import { buildDeposit, depositQrCodeUrl, getOrder, getOrdersAt, isTransient, type BuildAnswer, type Client, type Escrows, type ObservedDeposit, type Order, type QuoteAsk, type StreamedRoute } from '@causeway/sdk';
import { checkTransfer } from '@causeway/sdk/transfer';
import { trustedEscrow } from '../../../sdk/src/execute/contracts.js';
import type { Liquidity } from '../liquidity/liquidity.js';
import { boundOf } from './held-quote.js';

const LOOK = 2000;

/** Callbacks for the host. */
export interface TransferEvents {
  built(orderId: string): void;
  failed(error: unknown): void;
  changed(): void;
}

/** What a transfer needs of a route; an order that was built from one has it too. */
export type TransferRoute = Pick<StreamedRoute, 'quoteId' | 'routeId' | 'quote' | 'settlement' | 'filler' | 'heldBy' | 'refunds'>;

/** The request and the route of an order that waits for its transfer, if it says enough. Building it again gives the same deposit. */
export function transferOf(order: Order): { ask: QuoteAsk; route: TransferRoute } | undefined {
  const { quoteId, routeId, fromChainId, toChainId, fromToken, toToken, srcAmount, destAmount, author, tradeType = 'EXACT_INPUT', settlement, heldBy, refunds } = order;
  if (!quoteId || !routeId || !fromChainId || !toChainId || !fromToken || !toToken || !srcAmount || !destAmount || !author) return undefined;
  const [recipient, refundTo] = [order.recipient ?? author, order.refundTo ?? author];
  const isExactOutput = tradeType === 'EXACT_OUTPUT';
  const ask = {
    tradeType, fromChainId, toChainId, fromToken, toToken, amount: isExactOutput ? destAmount : srcAmount,
    fromAddress: author, recipient, refundTo,
  };
  const quote = { amountIn: srcAmount, amountOut: destAmount, minAmountOut: destAmount, expectedDurationSeconds: 0 };
  return { ask, route: { quoteId, routeId, quote, settlement, heldBy, refunds, filler: order.providerStatus?.provider } };
}

/** A deposit by plain transfer: the address, and what has arrived there. */
export class Transfer {
  deposit: Extract<BuildAnswer, { kind: 'TRANSFER' | 'PROVIDER_TRANSFER' }> | undefined;
  /** Raw units of the wanted token that have arrived. */
  arrived = 0n;
  /** Why a provider that was paid does not deliver yet, such as too little money. */
  trouble: string | null | undefined;
  error: unknown;
  readonly ask: QuoteAsk;
  readonly route: TransferRoute;
  readonly #client: Client;
  readonly #events: TransferEvents;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;
  #orderId: string | undefined;

  constructor(client: Client, ask: QuoteAsk, route: TransferRoute, escrows: Escrows | undefined, events: TransferEvents, liquidity?: Liquidity) {
    this.#client = client;
    this.ask = ask;
    this.route = route;
    this.#events = events;
    void this.#build(escrows, liquidity);
  }

  /** The picture, from the first source that there is. */
  get qrCode(): string | undefined {
    return this.deposit && depositQrCodeUrl(this.#client, this.deposit.deposit ?? this.deposit, 288);
  }

  /** Raw units that are still missing. */
  get missing(): bigint {
    const rest = BigInt(this.route.quote.amountIn) - this.arrived;
    return rest > 0n ? rest : 0n;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #build(escrows: Escrows | undefined, liquidity: Liquidity | undefined): Promise<void> {
    try {
      const { quoteId, routeId } = this.route;
      const { fromAddress: from, recipient, refundTo } = this.ask;
      const built = await buildDeposit(this.#client, { quoteId, routeId, from, recipient, refundTo, depositMethod: 'TRANSFER' });
      const bound = boundOf(this.ask, this.route.quote);
      if (this.route.settlement && liquidity) await liquidity.checkTransfer(this.ask, this.route, built, bound);
      else {
        if (this.route.settlement || built.kind !== 'TRANSFER') throw new TypeError('The service built another deposit than a transfer.');
        const { fromChainId } = this.ask;
        const escrow = trustedEscrow(this.#client.baseUrl, fromChainId, escrows);
        await checkTransfer(this.ask, this.route.quote, built, { ...bound, escrows: escrow === undefined ? {} : { [fromChainId]: escrow } });
      }
      this.deposit = built as NonNullable<Transfer['deposit']>;
      this.#orderId = this.deposit.orderId ?? this.deposit.deposit?.orderId;
      if (this.#orderId !== undefined) this.#events.built(this.#orderId);
      this.#events.changed();
      if (!this.#isStopped) await this.#look();
    } catch (error) {
      this.error = error;
      this.#events.failed(error);
      this.#events.changed();
    }
  }

  async #look(): Promise<void> {
    const { fromChainId, fromToken } = this.ask;
    try {
      // What arrives at a provider's address is told by its order.
      if (this.route.settlement) this.trouble = (await getOrder(this.#client, this.#orderId!)).failureReason;
      else {
        const { data, observedDeposits = [] } = await getOrdersAt(this.#client, this.deposit!.depositAddress);
        // An address belongs to one order; an answer that did not name it is followed from here on.
        if (this.#orderId === undefined && data[0]) this.#events.built((this.#orderId = data[0].orderId));
        this.arrived = sumOf(observedDeposits, fromChainId, fromToken);
      }
      this.#events.changed();
    } catch (error) {
      if (!isTransient(error)) {
        this.error = error;
        this.#events.failed(error);
        return this.#events.changed();
      }
    }
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#look(), LOOK);
  }
}

/** Only what was asked for counts; other tokens and chains come back. */
export function sumOf(deposits: readonly ObservedDeposit[], chainId: number, token: string): bigint {
  return deposits
    .filter((one) => one.chainId === chainId && one.token?.toLowerCase() === token.toLowerCase())
    .reduce((sum, { amount }) => sum + BigInt(amount ?? 0), 0n);
}
