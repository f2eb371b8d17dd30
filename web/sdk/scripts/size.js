// Checks the bundle sizes of the SDK against their budgets.
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const entry = new URL('../dist/index.js', import.meta.url).pathname;

/** The gzipped size of a bundle of `code`, or of what it loads on demand with the last of these modules, after the others. */
async function sizeOf(code, later = []) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code.replace('SDK', entry), resolveDir: new URL('..', import.meta.url).pathname },
    bundle: true, minify: true, format: 'esm', target: 'es2022', write: false,
    splitting: true, outdir: '/', metafile: true, absWorkingDir: '/',
  });
  let loaded = new Set();
  const load = (path) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: other } of metafile.outputs[path].imports) if (kind === 'import-statement') load(other);
  };
  load(Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint === '<stdin>'));
  let before = new Set();
  for (const module of later) {
    before = new Set([...before, ...loaded]);
    loaded = new Set();
    load(Object.keys(metafile.outputs).find((path) => metafile.outputs[path].entryPoint?.endsWith(`/dist/execute/${module}.js`)));
  }
  const files = outputFiles.filter(({ path }) => loaded.has(path.slice(1)) && !before.has(path.slice(1)));
  return files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
}

const BUDGET = [
  ['everything', 12_000, "export * from 'SDK'"],
  ['one action', 4_000, "export { createClient, getChains } from 'SDK'"],
  ['a swap', 7_000, "export { createClient, executeSwap } from 'SDK'"],
  ['what a swap loads on demand', 6_500, "export { createClient, executeSwap } from 'SDK'", ['checks']],
  ['what a token\'s own signature loads besides', 1_800, "export { createClient, executeSwap } from 'SDK'", ['checks', 'token-permit']],
  ['what a provider\'s transaction loads besides', 7_300, "export { createClient, executeSwap } from 'SDK'", ['checks', 'provider']],
  ['what simulates it', 2_200, "export { createClient, executeSwap } from 'SDK'", ['checks', 'provider', 'effects']],
  ['what simulates it on Solana', 2_200, "export { createClient, executeSwap } from 'SDK'", ['checks', 'provider', 'program-effects']],
  ['a checkout', 5_000, "export { createClient, startCheckout } from 'SDK'"],
];

for (const [what, most, code, later] of BUDGET) {
  const size = await sizeOf(code, later);
  console.log(`${what}: ${size} of ${most} bytes gzipped`);
  if (size > most) process.exitCode = 1;
}
