import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

/** A module of the sources, as Node can run it. */
export async function load(path) {
  const entry = fileURLToPath(new URL(`../../src/${path}`, import.meta.url));
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', target: 'es2022', write: false, platform: 'neutral', mainFields: ['module', 'main'], external: ['./widget/*'], tsconfig: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)) });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
