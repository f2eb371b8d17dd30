import type { CausewayWidget } from '../../../widget/dist/types/index.js';

/** The options of the widget that a link to this page may set. */
const NAMES = ['from-token', 'to-token', 'amount', 'trade-type', 'recipient', 'refund-to', 'locale', 'theme'];

const widget = document.querySelector<CausewayWidget>('causeway-widget');
const given = new URLSearchParams(location.search);
for (const name of NAMES) {
  const camel = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const text = given.get(name) ?? given.get(camel);
  if (text !== null) widget?.setAttribute(name, text);
}
