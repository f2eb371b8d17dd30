// Builds site/dist/: the HTML, style and script of every page.
//   node scripts/build-site.js           writes site/dist/
//   node scripts/build-site.js --check   fails where site/dist/ differs from what the sources give
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { layout } from "../site/layout.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const site = join(root, "site");
const dist = join(site, "dist");

/** Both the pages and the widget's parts use one copy of lit-html. */
const oneLit = {
  name: "one lit-html",
  setup({ onResolve }) {
    onResolve({ filter: /^lit-html/ }, ({ path }) => {
      const file = path === "lit-html" ? "lit-html.js" : path.replace("lit-html/", "");
      return { path: join(root, "node_modules/lit-html", file) };
    });
    // The widget loads these when it needs them; the pages never do.
    onResolve({ filter: /^\.\/widget\// }, ({ path }) => ({ path, external: true }));
  },
};

/** Functions and events of the compiled contracts, for pages that read transactions. */
const contracts = {
  name: "contracts",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^causeway:contracts$/ }, ({ path }) => ({ path, namespace: "contracts" }));
    onLoad({ filter: /.*/, namespace: "contracts" }, async () => {
      const folder = join(root, "../contracts/evm/artifacts");
      const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
      const abis = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8")).abi ?? []));
      const parameter = ({ name, type, indexed, components }) => ({ name, type, ...(indexed ? { indexed } : {}), ...(components ? { components: components.map(parameter) } : {}) });
      const called = ({ type, stateMutability }) => type === "event" || (type === "function" && !["view", "pure"].includes(stateMutability));
      const items = abis.flat().filter(called).map(({ type, name, inputs }) => JSON.stringify({ type, name, inputs: inputs.map(parameter) }));
      return { contents: `export const CONTRACTS = [${[...new Set(items)].join(",")}];`, loader: "js" };
    });
  },
};

async function bundle(entryPoints, outdir) {
  const { outputFiles } = await build({
    entryPoints, outdir, bundle: true, minify: true, target: "es2022", format: "esm", charset: "utf8", legalComments: "none", write: false,
    absWorkingDir: root, tsconfig: join(root, "tsconfig.json"), plugins: [oneLit, contracts],
  });
  return outputFiles.map(({ path, text }) => [path.slice(dist.length + 1), text]);
}

async function outputs() {
  const files = async (folder, ending) => (await readdir(join(site, folder))).filter((name) => name.endsWith(ending)).sort();
  const scripts = (await files("src/pages", ".ts")).map((name) => join(site, "src/pages", name));
  const styles = [join(site, "styles/base.css"), join(site, "styles/site.css")];
  const pages = await Promise.all((await files("html", ".html")).map(async (name) => [name, layout(name, await readFile(join(site, "html", name), "utf8"))]));
  return new Map([...(await bundle(scripts, dist)), ...(await bundle(styles, dist)), ...pages]);
}

const files = await outputs();
for (const [name, text] of [...files].sort()) console.log(`${name}: ${gzipSync(text, { level: 9 }).length} bytes gzipped`);
if (process.argv.includes("--check")) {
  for (const [name, text] of files) {
    if ((await readFile(join(dist, name), "utf8").catch(() => "")) !== text) {
      console.error(`site/dist/${name} is not what the sources give. Run: npm run build`);
      process.exitCode = 1;
    }
  }
} else {
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  for (const [name, text] of files) await writeFile(join(dist, name), text);
}
