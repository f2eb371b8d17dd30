import type { FiatOrderView, Order } from '@causeway/sdk';

export type Kind = 'now' | 'done' | 'back' | 'bad';

/** How an order stands, in words: at a glance, and what happens next. */
export interface Standing {
  kind: Kind;
  title: string;
  next: string;
}

/** The standing of a swap or a transfer. */
export function standingOf(order: Order, isTransfer: boolean, isTooLate = false): Standing {
  switch (order.status) {
    case 'created':
      if (order.depositTxHash) return { kind: 'now', title: 'Waiting for the deposit to be final', next: 'The deposit was sent. As soon as its block is final, the filler delivers.' };
      if (isTooLate) return { kind: 'back', title: 'The time to pay is over', next: 'Do not pay any more: what comes now is returned to its refund address. For a new price, make a new order.' };
      return isTransfer
        ? { kind: 'now', title: 'Waiting for your transfer', next: 'Send the amount to the address below. It is noticed by itself, also when this page is closed.' }
        : { kind: 'now', title: 'Waiting for the deposit', next: 'The wallet that began this swap has not sent its deposit yet. Nothing was paid so far.' };
    case 'deposited':
    case 'published':
      return { kind: 'now', title: 'Being delivered', next: 'The deposit is final and the filler is paying the recipient. If nobody delivers in time, the deposit goes back to its refund address.' };
    case 'filled':
      return { kind: 'done', title: 'Delivered', next: 'The recipient was paid. There is nothing left to do.' };
    case 'refund_pending':
      return { kind: 'back', title: 'Being refunded', next: 'This order is not delivered. The deposit goes back to its refund address.' };
    case 'refunded':
      return { kind: 'back', title: 'Refunded', next: 'The deposit went back to its refund address.' };
    case 'failed':
      return { kind: 'bad', title: 'Ended without a deposit', next: 'No deposit came in time. A deposit that comes later is returned to its refund address.' };
    default:
      return { kind: 'now', title: order.status, next: '' };
  }
}

/** The standing of a purchase. */
export function purchaseStanding({ status, failure, swapStrategy }: FiatOrderView): Standing {
  const jump = swapStrategy === 'jump' ? ' What the provider sells is swapped into your token on the way.' : '';
  switch (status) {
    case 'created':
    case 'pending':
      return { kind: 'now', title: 'Waiting for the payment', next: `Pay on the provider's page. Nothing is delivered before the provider has your money.${jump}` };
    case 'processing':
      return { kind: 'now', title: 'Paid, being delivered', next: `The provider has the payment and delivers.${jump}` };
    case 'completed':
      return { kind: 'done', title: 'Delivered', next: 'The tokens are in the wallet. There is nothing left to do.' };
    case 'canceled':
      return { kind: 'back', title: 'Cancelled', next: 'Nothing was charged.' };
    case 'expired':
      return { kind: 'back', title: 'Expired', next: 'The payment did not come in time. Nothing was charged.' };
    case 'failed':
      return { kind: 'bad', title: 'Failed', next: failure?.message ?? 'The purchase did not succeed.' };
    default:
      return { kind: 'now', title: status, next: '' };
  }
}
