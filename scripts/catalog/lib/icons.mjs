import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from './sources.mjs';
import { readLogo } from './svg.mjs';

const SIDE = 24;
const LIMIT = 20_000;

const round = (value) => String(Number(value.toFixed(4)));

// Where each package keeps the logo of that name.
const PACKAGES = {
  '@web3icons/core': async (name) => (await import(`@web3icons/core/svgs/networks/background/${name}.svg.js`)).default,
  '@hyperlane-xyz/registry': (name) =>
    readFileSync(join(packageFolder('@hyperlane-xyz/registry'), 'dist', 'chains', name, 'logo.svg'), 'utf8'),
};

/** What is wrong with the `logo` of a chain; null where it is right. */
export function logoProblem(logo) {
  if (logo.path) return Object.keys(logo).length === 1 ? null : 'logo.path stands alone';
  if (!Object.hasOwn(PACKAGES, logo.package)) return `logo.package must be one of ${Object.keys(PACKAGES).join(', ')}`;
  if (!/^[a-z0-9-]+$/.test(logo.name ?? '')) return 'logo.name must be lower-case letters, digits and dashes';
  if ((logo.share === undefined) !== (logo.ground === undefined)) return 'logo.share and logo.ground come together';
  const unknown = Object.keys(logo).find((key) => !['package', 'name', 'share', 'ground'].includes(key));
  return unknown ? `unknown field logo.${unknown}` : null;
}

function placed({ body, fill, width, height }, share) {
  const scale = (SIDE * share) / Math.max(width, height);
  const paint = fill ? ` fill="${fill}"` : '';
  if (scale === 1 && width === height) return `<g${paint}>${body}</g>`;
  const [x, y] = [(SIDE - width * scale) / 2, (SIDE - height * scale) / 2];
  return `<g${paint} transform="translate(${round(x)} ${round(y)}) scale(${Number(scale.toPrecision(6))})">${body}</g>`;
}

async function drawing({ logo, color }, prefix) {
  const fill = (paint) => `<path fill="${paint}" d="M0 0h24v24H0z"/>`;
  if (logo.path) return `${fill(color)}<path fill="#fff" d="${logo.path}"/>`;
  const source = await PACKAGES[logo.package](logo.name);
  return (logo.ground ? fill(logo.ground) : '') + placed(readLogo(source, prefix), logo.share ?? 1);
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
