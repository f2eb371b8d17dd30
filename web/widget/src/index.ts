import { defineWidget } from './element.js';

export { CausewayWidget, defineWidget } from './element.js';
export { LOCALES } from './i18n.js';
export type * from './public.js';

defineWidget();
