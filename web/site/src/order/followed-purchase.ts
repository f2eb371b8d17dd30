import { getFiatOrder, trackPurchase, type FiatOrderView } from '@causeway/sdk';
import type { KnownToken } from '../../../widget/src/flows/catalog.js';
import { client, tokenOf } from '../site.js';

/** A purchase, looked at as often as the service asks for. */
export class FollowedPurchase {
  purchase: FiatOrderView;
  token: KnownToken | undefined;
  readonly #changed: () => void;

  constructor(purchase: FiatOrderView, changed: () => void) {
    this.purchase = purchase;
    this.#changed = changed;
    const { outputAsset } = purchase;
    void tokenOf(outputAsset?.chainId, outputAsset?.address).then((token) => {
      this.token = token;
      changed();
    });
    if (!purchase.terminal) void this.#follow();
  }

  async #follow(): Promise<void> {
    const look = async () => {
      this.purchase = await getFiatOrder(client, this.purchase.orderId).catch(() => this.purchase);
      this.#changed();
    };
    await trackPurchase(client, this.purchase.orderId, { onStatus: () => void look() }).catch(() => undefined);
    await look();
  }
}
