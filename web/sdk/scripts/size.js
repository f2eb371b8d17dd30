// Holds what a bundle of the SDK weighs: all of it, and one action alone.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const entry = new URL('../dist/index.js', import.meta.url).pathname;

/** The gzipped size of a bundle of what `code` uses. */
async function sizeOf(code) {
  const { outputFiles } = await build({
    stdin: { contents: code.replace('SDK', entry), resolveDir: new URL('..', import.meta.url).pathname },
    bundle: true, minify: true, format: 'esm', target: 'es2022', write: false,
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

const BUDGET = [
  ['everything', 14_000, "export * from 'SDK'"],
  ['one action', 4_000, "export { createClient, getChains } from 'SDK'"],
  ['a swap', 9_000, "export { createClient, executeSwap } from 'SDK'"],
  ['a checkout', 5_000, "export { createClient, startCheckout } from 'SDK'"],
];

for (const [what, most, code] of BUDGET) {
  const size = await sizeOf(code);
  console.log(`${what}: ${size} of ${most} bytes gzipped`);
  if (size > most) process.exitCode = 1;
}
