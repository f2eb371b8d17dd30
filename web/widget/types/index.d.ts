import type { WidgetEvents, WidgetOptions } from './public.js';

export type * from './public.js';

/** The events of the element by their names, such as for `addEventListener`. */
export type WidgetEventMap = { [K in keyof WidgetEvents]: CustomEvent<WidgetEvents[K]> };

/** `<causeway-widget>`: every option is a property. */
export declare class CausewayWidget extends HTMLElement {
  /** Many options at once; those that are not named keep their values. */
  config: WidgetOptions;
  /** Shows an order. */
  openOrder(orderId: string): void;
  /** Connects the sandbox's test wallets; with `review` the form's swap is shown for confirmation as soon as it has its price. */
  useTestWallet(options?: { review?: boolean }): Promise<void>;
}
export interface CausewayWidget extends WidgetOptions {}

/** Makes the tag known; importing the module does it for `causeway-widget`. */
export declare function defineWidget(tag?: string): void;

/** The languages that the widget speaks. */
export declare const LOCALES: readonly string[];

declare global {
  interface HTMLElementTagNameMap {
    'causeway-widget': CausewayWidget;
  }
}
