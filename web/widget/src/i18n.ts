import { en } from './locales/en.js';
import { loadChunk } from './chunks.js';

export type Key = keyof typeof en;
export type Words = Readonly<Record<Key, string>>;
export type Say = (key: Key, values?: Readonly<Record<string, string | number>>) => string;

/** The languages that have words of their own. */
export const LOCALES = ['en', 'zh-CN', 'zh-TW', 'ja', 'ko', 'es', 'de', 'fr', 'pt', 'ar'] as const;
export type Locale = (typeof LOCALES)[number];

/** The nearest language that there are words for. */
export function nearestLocale(asked: readonly string[]): Locale {
  for (const tag of asked) {
    const [language, ...rest] = tag.toLowerCase().split(/[-_]/);
    if (language === 'zh') return rest.some((part) => ['tw', 'hk', 'mo', 'hant'].includes(part)) ? 'zh-TW' : 'zh-CN';
    const found = LOCALES.find((one) => one === language);
    if (found) return found;
  }
  return 'en';
}

export const isRightToLeft = (locale: Locale): boolean => locale === 'ar';

const loaded = new Map<Locale, Words>([['en', en]]);

/** The words of a language, if they are here already. */
export const wordsOf = (locale: Locale): Words | undefined => loaded.get(locale);

/** Fetches the words of a language; English stays where they cannot be had. */
export async function loadWords(locale: Locale): Promise<Words> {
  const here = loaded.get(locale);
  if (here) return here;
  // The texts in the order of their keys, after the length of all keys: a file of another version has other keys.
  const keys = (Object.keys(en) as Key[]).sort();
  const [length, ...texts] = (await loadChunk<{ default: [number, ...string[]] }>(locale)).default;
  const words = length === keys.join('').length ? Object.fromEntries(keys.map((key, at) => [key, texts[at]!])) as Words : en;
  loaded.set(locale, words);
  return words;
}

/** Puts values where the words have `{name}`. */
export function say(words: Words, key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  return words[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
