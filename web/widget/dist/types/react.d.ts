import type { HTMLAttributes, ReactElement } from 'react';
import type { WidgetEvents, WidgetOptions } from './public.js';

/** Every option of the widget as a prop, every event as a handler of its detail, and what any element takes. */
export type CausewayWidgetProps = WidgetOptions & Pick<HTMLAttributes<HTMLElement>, 'id' | 'className' | 'style'> & {
  onQuote?: (detail: WidgetEvents['quote']) => void;
  onWalletConnected?: (detail: WidgetEvents['wallet-connected']) => void;
  onDepositSubmitted?: (detail: WidgetEvents['deposit-submitted']) => void;
  onStatus?: (detail: WidgetEvents['status']) => void;
  onSuccess?: (detail: WidgetEvents['success']) => void;
  onError?: (detail: WidgetEvents['error']) => void;
  onCancel?: (detail: WidgetEvents['cancel']) => void;
};

/** `<causeway-widget>` for React 18 and newer. */
export declare function CausewayWidget(props: CausewayWidgetProps): ReactElement;
