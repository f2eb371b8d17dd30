// Checks the bundle sizes of the SDK against their budgets.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const entry = new URL('../dist/index.js', import.meta.url).pathname;

/** The gzipped size of a bundle of `code`, or of the chunks that it loads on demand. */
async function sizeOf(code, isLater = false) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code.replace('SDK', entry), resolveDir: new URL('..', import.meta.url).pathname },
    bundle: true, minify: true, format: 'esm', target: 'es2022', write: false,
    splitting: true, outdir: '/', metafile: true, absWorkingDir: '/',
  });
  const loaded = new Set();
  const load = (path) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: other } of metafile.outputs[path].imports) if (kind === 'import-statement') load(other);
  };
  load(Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint));
  const files = outputFiles.filter(({ path }) => loaded.has(path.slice(1)) !== isLater);
  return files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}

const BUDGET = [
  ['everything', 12_000, "export * from 'SDK'"],
  ['one action', 4_000, "export { createClient, getChains } from 'SDK'"],
  ['a swap', 7_000, "export { createClient, executeSwap } from 'SDK'"],
  ['what a swap loads on demand', 9_400, "export { createClient, executeSwap } from 'SDK'", true],
  ['a checkout', 5_000, "export { createClient, startCheckout } from 'SDK'"],
];

for (const [what, most, code, isLater] of BUDGET) {
  const size = await sizeOf(code, isLater);
  console.log(`${what}: ${size} of ${most} bytes gzipped`);
  if (size > most) process.exitCode = 1;
}
