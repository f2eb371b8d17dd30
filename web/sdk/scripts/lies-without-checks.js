// Takes each check out of a copy of the built SDK in turn, runs the table of lies against the rest, and says which lies are signed then,
// or are refused with other words. A lie that is refused as before whatever is taken out is reported: its row proves nothing.
//
//   npm run build && node scripts/lies-without-checks.js
//   npm run build && node scripts/lies-without-checks.js provider program settler    # only checks in files with these words in their names
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['execute', 'provider-calls', 'transfer', 'wallets', '.'];
const words = process.argv.slice(2);
const TESTS = 'tests/unit/lies.test.js';

/** The places of all statements that throw, from `throw` to the semicolon. */
function throws(code) {
  const found = [];
  for (const { index } of code.matchAll(/\bthrow\b/g)) {
    let depth = 0;
    let quote = '';
    for (let at = index; at < code.length; at += 1) {
      const character = code[at];
      if (quote) {
        if (character === '\\') at += 1;
        else if (character === quote) quote = '';
      } else if ('\'"`'.includes(character)) quote = character;
      else if ('([{'.includes(character)) depth += 1;
      else if (')]}'.includes(character)) depth -= 1;
      else if (character === ';' && depth === 0) {
        found.push([index, at + 1]);
        break;
      }
    }
  }
  return found;
}

/** The names of the tests that fail, and of all tests. */
async function run(folder) {
  const output = await new Promise((resolve) => {
    const args = ['--test', '--test-reporter=tap', '--test-timeout=120000', TESTS];
    execFile('node', args, { cwd: folder, maxBuffer: 1 << 26 }, (_, stdout) => resolve(stdout));
  });
  const failed = new Set();
  const all = new Set();
  const path = [];
  for (const line of output.split('\n')) {
    const name = /^( *)# Subtest: (.*)$/.exec(line);
    if (name) path[name[1].length / 4] = name[2];
    const result = /^( *)(not ok|ok) \d+ - (.*)$/.exec(line);
    if (!result || !result[1].length) continue;
    const row = `${path[0]}: ${result[3]}`;
    all.add(row);
    if (result[2] === 'not ok') failed.add(row);
  }
  return { failed, all };
}

const copy = await mkdtemp(join(tmpdir(), 'lies-'));
const folder = join(copy, 'web', 'sdk');
await mkdir(folder, { recursive: true });
for (const name of ['dist', 'tests', 'package.json']) await cp(join(here, name), join(folder, name), { recursive: true });
await cp(join(here, '../../tests/cases'), join(copy, 'tests/cases'), { recursive: true });
try {
  const { failed, all } = await run(folder);
  if (failed.size > 0) throw new Error(`these fail with all checks: ${[...failed].join(', ')}`);
  const red = new Map([...all].filter((row) => !row.startsWith('an honest')).map((row) => [row, []]));
  let count = 0;
  for (const part of FOLDERS) {
    for (const name of await readdir(join(folder, 'dist', part))) {
      if (!name.endsWith('.js') || (words.length > 0 && !words.some((word) => `${part}/${name}`.includes(word)))) continue;
      const file = join(folder, 'dist', part, name);
      const code = await readFile(file, 'utf8');
      for (const [from, to] of throws(code)) {
        await writeFile(file, `${code.slice(0, from)}void 0;${code.slice(to)}`);
        const without = await run(folder);
        count += 1;
        const place = `${part}/${name}:${code.slice(0, from).split('\n').length}`;
        // A run that ends early proves nothing.
        if (without.all.size < all.size) console.log(`${place} only ${without.all.size} of ${all.size} tests ran`);
        console.log(`${place} ${without.failed.size} fail without: ${code.slice(from, to).slice(0, 100).replaceAll(/\s+/g, ' ')}`);
        for (const row of without.failed) red.get(row)?.push(place);
      }
      await writeFile(file, code);
    }
  }
  const never = [...red].filter(([, places]) => places.length === 0).map(([row]) => row);
  console.log(`${count} checks taken out; ${red.size - never.length} of ${red.size} lies were seen without one of them`);
  if (words.length === 0) for (const row of never) console.log(`never failed: ${row}`);
} finally {
  await rm(copy, { recursive: true });
}
