// Builds dist/: one ES module, one classic script, and the parts that few pages need.
//   node scripts/build.js           writes dist/
//   node scripts/build.js --check   fails where dist/ differs from what the sources give, or is too large
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { shortDecimals } from './short-decimals.js';
import { shortProperties } from './short-names.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
/** What a page may load at most, gzipped: everything but the other languages, and what liquidity providers settle. */
const BUDGET = 60_000;
/** What a page loads besides whose host trusts liquidity providers, gzipped. */
const PROVIDERS_BUDGET = 12_500;
/** What it loads to simulate what a provider settles, before that is signed, gzipped; the second is for Solana. */
const EFFECTS_BUDGET = 3_000;

/** The module that loads the parts that few pages need. */
const chunks = join(root, 'src/chunks.js');

const styles = {
  name: 'styles as text',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true, target: 'es2022' });
      return { contents: code, loader: 'text' };
    });
  },
};

/** Templates without the line breaks between their tags. */
const templates = {
  name: 'tight templates',
  setup({ onLoad }) {
    onLoad({ filter: /src\/views\/[\w-]+\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replace(/(>|\})\n\s+(?=<|\$\{)/g, '$1').replace(/("|\}|\w)\n\s+(?=(?:aria-[\w]+|@\w+|\.value)=)/g, '$1 '), loader: 'ts' };
    });
  },
};

/** lit-html's build for Node runs in browsers too, and can be imported where there is no document. */
const serverSafe = {
  name: 'lit-html for browsers and servers',
  setup({ onResolve }) {
    onResolve({ filter: /^lit-html/ }, ({ path }) => {
      const file = path === 'lit-html' ? 'lit-html.js' : path.replace('lit-html/', '');
      return { path: join(root, 'node_modules/lit-html/node', file) };
    });
  },
};

/**
 * What the SDK loads on demand is needed by every swap, and the widget is one file: it is imported at once, which is smaller.
 * The bound of a swap is what its route promised, so the SDK's reference prices are never used. It asks for no signatures of tokens.
 * What plans a swap that a provider settles is in a part of its own, which is there where the host trusts any.
 */
const staticImports = {
  name: 'static imports of the SDK',
  setup({ onLoad }) {
    onLoad({ filter: /\/sdk\/src\/(check-decimals|execute\/(check-deposit|deposit|execute-swap|price-bound))\.ts$/ }, async ({ path }) => {
      const imports = new Set();
      const contents = (await readFile(path, 'utf8'))
        .replace(/^ *const \{ (.+) \} = await import\('(?!.*price-reference)(.*)'\);\n/gm, (_, names, module) => {
          for (const name of names.split(', ')) imports.add(`import { ${name} } from '${module}';\n`);
          return '';
        })
        .replace("await import('./provider.js')", () => {
          imports.add(`import { loadChunk } from '${chunks}';\n`);
          return "await loadChunk('providers')";
        })
        .replace(/await import\('.*\/(token-permit|price-reference)\.js'\)/g, '{}');
      if (contents.includes('await import(')) throw new Error(`${path} loads something else on demand: adapt scripts/build.js.`);
      return { contents: [...imports].join('') + contents, loader: 'ts' };
    });
  },
};

/** What a provider's transaction is simulated with is a file of its own, beside the one that plans it. */
const effectsApart = {
  name: 'effects in a file of their own',
  setup({ onResolve }) {
    onResolve({ filter: /\/(program-)?effects\.js$/ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
  },
};

/** A language's texts in the order of their keys, without the keys; `loadWords` puts both together. */
const textsAlone = {
  name: 'texts without their keys',
  setup({ onLoad }) {
    onLoad({ filter: /\/locales\/[\w-]+\.ts$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'ts', charset: 'utf8' });
      const { default: words } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
      const keys = Object.keys(words).sort();
      return { contents: `export default ${JSON.stringify([keys.join('').length, ...keys.map((key) => words[key])])}` };
    });
  },
};

const classicChunks = {
  name: 'chunks of the classic script',
  setup({ onResolve }) {
    onResolve({ filter: /\/chunks\.js$/ }, () => ({ path: join(root, 'src/chunks.classic.ts') }));
  },
};

const common = {
  ...shortProperties, bundle: true, minify: true, target: 'es2022', charset: 'utf8', legalComments: 'none', write: false, absWorkingDir: root,
  tsconfig: join(root, 'tsconfig.json'), external: ['./widget/*'],
};

const bundle = async (name, entry, options) => {
  const { outputFiles } = await build({ ...common, entryPoints: [join(root, entry)], ...options, outfile: join(dist, name) });
  return outputFiles.map(({ path, text }) => [relative(dist, path), text]);
};

export async function outputs() {
  const locales = (await readdir(join(root, 'src/locales'))).filter((file) => file !== 'en.ts').map((file) => file.replace('.ts', ''));
  const files = await Promise.all([
    bundle('widget.mjs', 'src/index.ts', { format: 'esm', plugins: [styles, templates, serverSafe, shortDecimals, staticImports] }),
    bundle('widget.js', 'src/index.ts', { format: 'iife', globalName: 'CausewayWidget', plugins: [styles, templates, serverSafe, shortDecimals, staticImports, classicChunks] }),
    bundle('widget/providers.js', 'src/liquidity/liquidity.ts', { format: 'esm', plugins: [shortDecimals, staticImports, effectsApart] }),
    ...['effects', 'program-effects'].map((name) => bundle(`widget/${name}.js`, `../sdk/src/execute/${name}.ts`, { format: 'esm', plugins: [effectsApart] })),
    bundle('widget/test-wallet.js', 'src/wallets/test-wallet.ts', { format: 'esm' }),
    bundle('react.mjs', 'src/react.ts', { format: 'esm', external: ['react', './widget.mjs'], banner: { js: "'use client';" } }),
    ...locales.map((locale) => bundle(`widget/${locale}.js`, `src/locales/${locale}.ts`, { format: 'esm', plugins: [textsAlone] })),
  ]);
  // The file of public types holds nothing else, so it is its own declaration.
  const types = { public: 'src/public.ts', index: 'types/index.d.ts', react: 'types/react.d.ts' };
  const declared = await Promise.all(Object.entries(types).map(async ([name, path]) => [`types/${name}.d.ts`, await readFile(join(root, path), 'utf8')]));
  return new Map([...files.flat(), ...declared]);
}

const zip = (text) => gzipSync(text, { level: 9 }).length;

function report(files) {
  const sizes = Object.fromEntries([...files].filter(([name]) => !name.startsWith('types')).map(([name, text]) => [name, zip(text)]));
  const locales = Object.entries(sizes).filter(([name]) => /^widget\/[a-z]{2}(-[A-Z]{2})?\.js$/.test(name));
  const largest = Math.max(0, ...locales.map(([, size]) => size));
  const all = Math.max(sizes['widget.js'], sizes['widget.mjs']) + largest + sizes['widget/test-wallet.js'];
  for (const [name, size] of Object.entries(sizes).sort()) console.log(`${name}: ${size} bytes gzipped`);
  console.log(`all that one page can load: ${all} of ${BUDGET} bytes gzipped`);
  const apart = [['providers', PROVIDERS_BUDGET], ['effects', EFFECTS_BUDGET], ['program-effects', EFFECTS_BUDGET]].map(([name, budget]) => [`widget/${name}.js`, budget]);
  for (const [name, budget] of apart) console.log(`and, where providers are trusted, ${name}: ${sizes[name]} of ${budget} bytes gzipped`);
  if (all > BUDGET || apart.some(([name, budget]) => sizes[name] > budget)) process.exitCode = 1;
}

const files = await outputs();
report(files);
if (process.argv.includes('--check')) {
  for (const [name, text] of files) {
    const committed = await readFile(join(dist, name), 'utf8').catch(() => '');
    if (committed !== text) {
      console.error(`dist/${name} is not what the sources give. Run: npm run build`);
      process.exitCode = 1;
    }
  }
} else {
  await rm(dist, { recursive: true, force: true });
  for (const [name, text] of files) {
    await mkdir(dirname(join(dist, name)), { recursive: true });
    await writeFile(join(dist, name), text);
  }
}
