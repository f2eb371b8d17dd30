// Generates src/generated from the API document. With --check it fails if src/generated is out of date.
import { readFile, writeFile } from 'node:fs/promises';
import { withRequired } from './required.js';
import { responseSchemas, shapesOf } from './shapes.js';
import { typesOf } from './interfaces.js';

const DOCUMENT = '../../crates/http/tests/it/snapshots/it__openapi__the_api_document_is_what_was_reviewed.snap';
const HEAD = '// Generated from the API document by `npm run types`. Do not edit.\n\n';
/** The decimals of well-known tokens, shared by both SDKs. */
const TOKENS = '../../crates/client/data/decimals.json';

const here = (path) => new URL(`../${path}`, import.meta.url);

/** Reads the API document: an insta snapshot with a header, or plain JSON. */
export async function readDocument() {
  const text = await readFile(process.env.OPENAPI ?? here(DOCUMENT), 'utf8');
  const document = JSON.parse(text.startsWith('---') ? text.slice(text.indexOf('\n---\n') + 5) : text);
  const whole = withGenerics(document);
  withRequired(whole.components.schemas, responseSchemas(whole));
  return whole;
}

/** Replaces the inlined item schema of `Page_Order` by a reference to `Order`, and so on. */
function withGenerics(document) {
  const { schemas } = document.components;
  for (const [name, schema] of Object.entries(schemas)) {
    const [, item] = name.match(/^(?:Page|Data)_(\w+)$/) ?? [];
    if (!item) continue;
    schemas[item] ??= schema.properties.data.items;
    schema.properties.data.items = { $ref: `#/components/schemas/${item}` };
  }
  return document;
}

/** Token addresses by chain and decimals, separated by spaces; EVM addresses in lower case. */
async function decimals() {
  const chains = Object.entries(JSON.parse(await readFile(here(TOKENS), 'utf8')));
  const list = (addresses) => addresses.map((address) => (address.startsWith('0x') ? address.toLowerCase() : address)).join(' ');
  const groups = (all) => Object.entries(all).map(([count, addresses]) => `${count}: '${list(addresses)}'`).join(', ');
  const lines = chains.map(([chain, all]) => `  ${chain}: { ${groups(all)} },\n`);
  return `export const DECIMALS: Record<number, Record<number, string>> = {\n${lines.join('')}};\n`;
}

async function main() {
  const document = await readDocument();
  const files = { types: typesOf(document), shapes: shapesOf(document), decimals: await decimals() };
  const stale = [];
  for (const [name, text] of Object.entries(files)) {
    const file = here(`src/generated/${name}.ts`);
    const before = await readFile(file, 'utf8').catch(() => '');
    if (before === HEAD + text) continue;
    stale.push(name);
    if (!process.argv.includes('--check')) await writeFile(file, HEAD + text);
  }
  if (stale.length > 0 && process.argv.includes('--check')) {
    console.error(`src/generated is out of date (${stale.join(', ')}): run npm run types`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) await main();
