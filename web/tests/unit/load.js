// @ts-check

import { readdir, readFile } from "node:fs/promises";
import { build } from "esbuild";

const root = new URL("../../", import.meta.url).pathname;

/** The contracts that the decoder is tested with. */
const contracts = {
  name: "contracts",
  /** @param {import("esbuild").PluginBuild} build */
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^causeway:contracts$/ }, ({ path }) => ({ path, namespace: "contracts" }));
    onLoad({ filter: /.*/, namespace: "contracts" }, async () => {
      const folder = `${root}../contracts/evm/artifacts/`;
      const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
      const abis = await Promise.all(names.map(async (name) => JSON.parse(await readFile(folder + name, "utf8")).abi ?? []));
      return { contents: `export const CONTRACTS = ${JSON.stringify(abis.flat().filter(({ type }) => type === "function" || type === "event"))};`, loader: "js" };
    });
  },
};

/**
 * A module of the site, which is TypeScript.
 *
 * @param {string} path below `site/src`
 * @returns {Promise<any>}
 */
export async function load(path) {
  const { outputFiles } = await build({ entryPoints: [`${root}site/src/${path}`], bundle: true, format: "esm", write: false, tsconfig: `${root}tsconfig.json`, plugins: [contracts] });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.text ?? "").toString("base64")}`);
}
