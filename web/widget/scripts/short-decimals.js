import { readFile } from 'node:fs/promises';

/** Enough of an address to know it by: the first eight letters after `0x`, where it has that, and the last four. */
const short = (address) => address.slice(2, 10) + address.slice(-4);

/**
 * The SDK's table of well-known tokens with short addresses, which do not compress.
 *
 * Every well-known token is still found. Another token of the same chain is taken for one with a chance of 1 to 2^48, and then refused only if
 * it has other decimals.
 */
export const shortDecimals = {
  name: 'short addresses in the table of decimals',
  setup({ onLoad }) {
    onLoad({ filter: /\/sdk\/src\/generated\/decimals\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replace(/'([^']+)'/g, (_, list) => `'${list.split(' ').map(short).join(' ')}'`), loader: 'ts' };
    });
    onLoad({ filter: /\/sdk\/src\/execute\/decimals\.ts$/ }, async ({ path }) => {
      const parts = (await readFile(path, 'utf8')).split('.includes(wanted)');
      if (parts.length !== 2) throw new Error('The SDK looks tokens up in another way: adapt scripts/short-decimals.js.');
      return { contents: parts.join('.includes(wanted.slice(2, 10) + wanted.slice(-4))'), loader: 'ts' };
    });
  },
};
