import type { Method, WidgetOptions } from './public.js';

type Kind = 'text' | 'flag' | 'number' | 'object';

/** Every option by its kind; an object cannot be an attribute. */
export const OPTIONS: Readonly<Record<keyof WidgetOptions, Kind>> = {
  apiEndpoint: 'text', fiatApiEndpoint: 'text', embedUrl: 'text', qrCodeApiUrl: 'text', theme: 'text', layout: 'text', locale: 'text',
  fromToken: 'text', toToken: 'text', amount: 'text', tradeType: 'text', recipient: 'text', refundTo: 'text',
  slippageTolerance: 'number', methods: 'text', chains: 'text', fiatCurrency: 'text', fiatAmount: 'text', country: 'text',
  checkout: 'text', hideTitle: 'flag', referrer: 'text', referrerFeeBps: 'number', orderId: 'text', resume: 'text',
  texts: 'object', wallets: 'object', escrows: 'object', trustedProviders: 'object', walletChains: 'object', headers: 'object',
};

export const OPTION_NAMES = Object.keys(OPTIONS) as (keyof WidgetOptions)[];

/** `apiEndpoint` is the attribute `api-endpoint`. */
export const attributeOf = (option: string): string => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The attributes, each with its option. */
export const ATTRIBUTES: ReadonlyMap<string, keyof WidgetOptions> = new Map(
  OPTION_NAMES.filter((name) => OPTIONS[name] !== 'object').map((name) => [attributeOf(name), name]),
);

/** The value of an attribute as the option has it; nothing where it is absent or no number. */
export function readAttribute(name: keyof WidgetOptions, text: string | null): unknown {
  if (text === null) return undefined;
  if (OPTIONS[name] === 'flag') return text !== 'false';
  if (OPTIONS[name] === 'text') return text;
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? undefined : number;
}

const ALL: readonly Method[] = ['swap', 'transfer', 'buy'];

/** The tabs that a host asks for; all of them where it names none that exists. */
export function methodsOf(option: WidgetOptions['methods']): readonly Method[] {
  const named = list(option).filter((name): name is Method => (ALL as readonly string[]).includes(name));
  return named.length > 0 ? [...new Set(named)] : ALL;
}

/** The chain ids that a host allows; nothing where it allows all. */
export function chainsOf(option: WidgetOptions['chains']): readonly number[] | undefined {
  const ids = list(option).map(Number).filter((id) => Number.isSafeInteger(id) && id > 0);
  return ids.length > 0 ? ids : undefined;
}

function list(option: string | readonly (string | number)[] | undefined): string[] {
  const items = typeof option === 'string' ? option.split(/[\s,]+/) : (option ?? []).map(String);
  return items.filter(Boolean);
}
