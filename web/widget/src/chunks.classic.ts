/** As `chunks.ts`, for the classic script: a script of another origin has no address of its own that `import()` could be relative to. */
const script = typeof document === 'undefined' ? null : (document.currentScript as HTMLScriptElement | null);

/** Where the classic script came from. */
export const scriptUrl = script?.src;

export function loadChunk<T>(name: string): Promise<T> {
  return import(new URL(`widget/${name}.js`, scriptUrl).href) as Promise<T>;
}
