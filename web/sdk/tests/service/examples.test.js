// Runs the examples against a real service.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { BASE } from '../sandbox.js';

const example = (path) => new URL(`../../examples/${path}`, import.meta.url);

it('the Node script executes a swap', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [example('swap.js').pathname], { env: { ...process.env, CAUSEWAY_URL: BASE } });
  assert.match(stdout, /is created[^]*is filled\nFilled: 0x[0-9a-f]{64}\n$/);
});

for (const path of ['swap.js', 'html/index.html', 'react/src/main.tsx']) {
  it(`${path} has fewer than a hundred lines`, async () => {
    assert.ok((await readFile(example(path), 'utf8')).split('\n').length < 100);
  });
}
