import { createElement, useEffect, useRef, type HTMLAttributes, type ReactElement } from 'react';
// @ts-expect-error The built module stands beside this one; its types are those of public.ts.
import './widget.mjs';
import { OPTION_NAMES } from './options.js';
import type { WidgetEvents, WidgetOptions } from './public.js';

type Handlers = {
  onQuote?: (detail: WidgetEvents['quote']) => void;
  onWalletConnected?: (detail: WidgetEvents['wallet-connected']) => void;
  onDepositSubmitted?: (detail: WidgetEvents['deposit-submitted']) => void;
  onStatus?: (detail: WidgetEvents['status']) => void;
  onSuccess?: (detail: WidgetEvents['success']) => void;
  onError?: (detail: WidgetEvents['error']) => void;
  onCancel?: (detail: WidgetEvents['cancel']) => void;
};

/** Every option of the widget as a prop, every event as a handler of its detail, and what any element takes. */
export type CausewayWidgetProps = WidgetOptions & Handlers & Pick<HTMLAttributes<HTMLElement>, 'id' | 'className' | 'style'>;

const EVENTS = {
  onQuote: 'quote', onWalletConnected: 'wallet-connected', onDepositSubmitted: 'deposit-submitted', onStatus: 'status', onSuccess: 'success',
  onError: 'error', onCancel: 'cancel',
} as const satisfies Record<keyof Handlers, keyof WidgetEvents>;

/** `<causeway-widget>` for React 18 and newer. */
export function CausewayWidget({ id, className, style, ...props }: CausewayWidgetProps): ReactElement {
  const element = useRef<(HTMLElement & { config: WidgetOptions }) | null>(null);
  const handlers = useRef<Handlers>({});
  handlers.current = props;
  const values = OPTION_NAMES.map((name) => props[name]);
  const configure = () => {
    element.current!.config = Object.fromEntries(OPTION_NAMES.map((name, at) => [name, values[at]]));
  };
  // The first options are there in the turn in which the element is put in place, before it asks anything of a service.
  const place = (node: HTMLElement | null) => {
    const isNew = node !== null && element.current === null;
    element.current = node as typeof element.current;
    if (isNew) configure();
  };
  const stable = useRef(place);
  const isFirst = useRef(true);
  // Handlers are read when an event comes, so that a new one each time changes nothing; options are compared one by one.
  useEffect(() => {
    if (!isFirst.current) configure();
    isFirst.current = false;
  }, values);
  useEffect(() => {
    const widget = element.current!;
    const stops = Object.entries(EVENTS).map(([name, event]) => {
      const hear = (fired: Event) => (handlers.current[name as keyof Handlers] as ((detail: unknown) => void) | undefined)?.((fired as CustomEvent).detail);
      widget.addEventListener(event, hear);
      return () => widget.removeEventListener(event, hear);
    });
    return () => stops.forEach((stop) => stop());
  }, []);
  return createElement('causeway-widget', { ref: stable.current, id, class: className, style });
}
