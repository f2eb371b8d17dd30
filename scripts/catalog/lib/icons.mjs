import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from './sources.mjs';
import { readLogo } from './svg.mjs';

const SIDE = 24;
const LIMIT = 20_000;

// Logos of @web3icons/core fill their square. `share` is the part of the disc that a logo takes instead, on `ground`.
const WEB3ICONS = {
  1: { name: 'ethereum' },
  10: { name: 'optimism' },
  56: { name: 'binance-smart-chain' },
  130: { name: 'unichain' },
  137: { name: 'polygon' },
  143: { name: 'monad' },
  324: { name: 'zksync' },
  2741: { name: 'abstract' },
  5000: { name: 'mantle' },
  8453: { name: 'base', share: 0.72, ground: '#0000FF' },
  42161: { name: 'arbitrum-one' },
  43114: { name: 'avalanche' },
  59144: { name: 'linea' },
  80094: { name: 'berachain' },
  747474: { name: 'katana' },
  20011000000: { name: 'solana' },
};

// Logos of @hyperlane-xyz/registry, for chains that the icon package does not have.
const HYPERLANE = {
  16661: { name: 'zerogravity' },
  4278608: { name: 'arcadia', share: 0.8, ground: '#F1F1FA' },
};

// Marks of our own, white on the chain's color, for chains whose logo no permissive package has.
const DRAWN = {
  5734951: 'M13 6.5h3v7.25a4.25 4.25 0 0 1-8.5 0V13h3v.75a1.25 1.25 0 0 0 2.5 0z',
};

const round = (value) => String(Number(value.toFixed(4)));

async function web3icon(name) {
  const module = await import(`@web3icons/core/svgs/networks/background/${name}.svg.js`);
  return module.default;
}

function hyperlaneLogo(name) {
  return readFileSync(join(packageFolder('@hyperlane-xyz/registry'), 'dist', 'chains', name, 'logo.svg'), 'utf8');
}

function placed({ body, fill, width, height }, share) {
  const scale = (SIDE * share) / Math.max(width, height);
  const paint = fill ? ` fill="${fill}"` : '';
  if (scale === 1 && width === height) return `<g${paint}>${body}</g>`;
  const [x, y] = [(SIDE - width * scale) / 2, (SIDE - height * scale) / 2];
  return `<g${paint} transform="translate(${round(x)} ${round(y)}) scale(${Number(scale.toPrecision(6))})">${body}</g>`;
}

async function drawing(chain, prefix) {
  const fill = (color) => `<path fill="${color}" d="M0 0h24v24H0z"/>`;
  const place = ({ share = 1, ground }, source) => (ground ? fill(ground) : '') + placed(readLogo(source, prefix), share);
  const [web3, hyperlane, drawn] = [WEB3ICONS[chain.id], HYPERLANE[chain.id], DRAWN[chain.id]];
  if (web3) return place(web3, await web3icon(web3.name));
  if (hyperlane) return place(hyperlane, hyperlaneLogo(hyperlane.name));
  if (drawn) return `${fill(chain.color)}<path fill="#fff" d="${drawn}"/>`;
  throw new Error(`no icon for ${chain.name}: name a logo or draw a mark in lib/icons.mjs`);
}

/** The icon of a chain: its logo on a disc, in one small self-contained SVG. */
export async function icon(chain) {
  const prefix = `c${chain.id}-`;
  const disc = `${prefix}disc`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><clipPath id="${disc}"><circle cx="12" cy="12" r="12"/></clipPath>`
    + `<g clip-path="url(#${disc})">${await drawing(chain, prefix)}</g></svg>\n`;
  if (Buffer.byteLength(svg) > LIMIT) throw new Error(`the icon of ${chain.name} is over ${LIMIT} bytes`);
  return svg;
}
