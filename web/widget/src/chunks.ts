/**
 * Fetches a part that few pages need: the words of a language, the test wallet, what liquidity providers settle.
 *
 * Written out one by one, so that bundlers of hosts find them.
 */
export function loadChunk<T>(name: string): Promise<T> {
  const load = CHUNKS[name];
  return load ? (load() as Promise<T>) : Promise.reject(new TypeError(`There is no part ${name}.`));
}

const CHUNKS: Record<string, () => Promise<unknown>> = {
  'ar': () => import('./widget/ar.js' as string),
  'de': () => import('./widget/de.js' as string),
  'es': () => import('./widget/es.js' as string),
  'fr': () => import('./widget/fr.js' as string),
  'ja': () => import('./widget/ja.js' as string),
  'ko': () => import('./widget/ko.js' as string),
  'pt': () => import('./widget/pt.js' as string),
  'zh-CN': () => import('./widget/zh-CN.js' as string),
  'zh-TW': () => import('./widget/zh-TW.js' as string),
  'providers': () => import('./widget/providers.js' as string),
  'test-wallet': () => import('./widget/test-wallet.js' as string),
};

/** Where this module came from; its origin is the default address of the API. */
export const scriptUrl: string | undefined = import.meta.url;
