import { readFile } from 'node:fs/promises';

/** The characters of an address that identify it: four after the first two, and the last two. */
const short = (address) => address.slice(2, 6) + address.slice(-2);

/**
 * Shortens the addresses in the SDK's table of well-known tokens, because addresses do not compress.
 *
 * Every well-known token is still found. Another token of the same chain matches one with a probability of 1 in 2^24, and is then rejected
 * only if its decimals differ.
 */
export const shortDecimals = {
  name: 'short addresses in the table of decimals',
  setup({ onLoad }) {
    onLoad({ filter: /\/sdk\/src\/generated\/decimals\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replace(/'([^']+)'/g, (_, list) => `'${list.split(' ').map(short).join(' ')}'`), loader: 'ts' };
    });
    onLoad({ filter: /\/sdk\/src\/execute\/decimals\.ts$/ }, async ({ path }) => {
      const parts = (await readFile(path, 'utf8')).split('.includes(key)');
      if (parts.length !== 2) throw new Error('The token lookup of the SDK has changed: adapt scripts/short-decimals.js.');
      return { contents: parts.join('.includes(key.slice(2, 6) + key.slice(-2))'), loader: 'ts' };
    });
  },
};
