// Writes src/generated from the reviewed API document; with --check it only says whether that is up to date.
import { readFile, writeFile } from 'node:fs/promises';
import { shapesOf } from './shapes.js';
import { typesOf } from './interfaces.js';

const DOCUMENT = '../../crates/http/tests/it/snapshots/it__openapi__the_api_document_is_what_was_reviewed.snap';
const HEAD = '// Generated from the API document by `npm run types`. Do not edit.\n\n';

const here = (path) => new URL(`../${path}`, import.meta.url);

/** The document: a snapshot has a head of its own between two lines of dashes, plain JSON has none. */
export async function readDocument() {
  const text = await readFile(process.env.OPENAPI ?? here(DOCUMENT), 'utf8');
  const document = JSON.parse(text.startsWith('---') ? text.slice(text.indexOf('\n---\n') + 5) : text);
  return withGenerics(document);
}

/** `Page_Order` repeats an order inside; it becomes a page of the order that has its own name. */
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

async function main() {
  const document = await readDocument();
  const files = { types: typesOf(document), shapes: shapesOf(document) };
  const stale = [];
  for (const [name, text] of Object.entries(files)) {
    const file = here(`src/generated/${name}.ts`);
    const before = await readFile(file, 'utf8').catch(() => '');
    if (before === HEAD + text) continue;
    stale.push(name);
    if (!process.argv.includes('--check')) await writeFile(file, HEAD + text);
  }
  if (stale.length > 0 && process.argv.includes('--check')) {
    console.error(`src/generated is not what the API document gives (${stale.join(', ')}): npm run types`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) await main();
