import { tokens as known } from '@web3icons/common';
import { readLogo } from './svg.mjs';

/** Icons are small enough for lists of hundreds; a mark that needs more is left out, and the service draws letters instead. */
const LIMIT = 2_047;
const SIDE = 24;

/** The form of a coin on a chain of others, or wrapped for contracts, bears the coin's mark within a ring. */
const RINGS = { wrapped: '#566878', bridged: '#a9b4ba' };

/** The forms, by their coin in top.toml. */
const FORMS = {
  wrapped: {
    weth: 'ethereum', wbnb: 'binancecoin', 'wrapped-pol': 'polygon-ecosystem-token', 'wrapped-avax': 'avalanche-2', 'wrapped-solana': 'solana',
    'wrapped-monad': 'monad', 'wrapped-mantle': 'mantle', 'wrapped-0g': 'zero-gravity',
    'coinbase-wrapped-btc': 'bitcoin', 'binance-bitcoin': 'bitcoin',
  },
  bridged: {
    usdt0: 'tether', 'bridged-usd-coin': 'usd-coin', 'bridged-usd-coin-base': 'usd-coin', 'bitcoin-avalanche': 'bitcoin',
    'weth-avalanche-bridge': 'ethereum', 'wbtc-avalanche-bridge': 'wrapped-bitcoin', 'dai-avalanche-bridge': 'dai', 'usdt-avalanche-bridge': 'tether',
    'vault-bridge-eth': 'ethereum', 'vault-bridge-usdc': 'usd-coin', 'vault-bridge-usdt': 'tether', 'vault-bridge-wbtc': 'wrapped-bitcoin',
  },
};

/** Coins whose mark is that of their chain. The package's own of Arbitrum is another token's. */
const CHAINS = { arbitrum: 42161, monad: 143, 'zero-gravity': 16661, linea: 59144, zksync: 324, 'katana-network-token': 747474 };

/** The logo of a token in the package, which names it by the same slug as top.toml; a symbol alone may be another token's. */
async function packaged(coin) {
  const token = known.find(({ id }) => id === coin);
  const name = token?.variants.includes('background') && /^token:([A-Z0-9.-]+)$/.exec(token.filePath)?.[1];
  if (!name) return undefined;
  const { body, fill, width, height } = readLogo((await import(`@web3icons/core/svgs/tokens/background/${name}.svg.js`)).default, 't-');
  if (width !== SIDE || height !== SIDE) throw new Error(`the logo of ${coin} is not ${SIDE} by ${SIDE}`);
  return { body: withoutClip(body), fill };
}

/** The disc clips already what a logo clips to its whole square. */
function withoutClip(body) {
  const match = /^<g clip-path="url\(#([\w-]+)\)">(.*)<\/g><defs><clipPath id="\1"><path fill="#fff" d="M0 0h24v24H0z"\/><\/clipPath><\/defs>$/.exec(body);
  return match ? match[2] : body;
}

/** The mark of a coin: of the package, or of a chain, whose icon is a disc already. */
async function markOf(coin, chainIcons) {
  const chain = chainIcons.get(CHAINS[coin]);
  if (chain) return { body: chain.replace(/^<svg[^>]*>|<\/svg>\n$/g, '') };
  return packaged(coin);
}

function drawn({ body, fill }, ring) {
  const paint = fill ? ` fill="${fill}"` : '';
  const clip = body.startsWith('<clipPath id="c');
  const disc = clip ? `<g${paint}>${body}</g>` : `<clipPath id="t"><circle cx="12" cy="12" r="12"/></clipPath><g clip-path="url(#t)"${paint}>${body}</g>`;
  const content = ring ? `<circle cx="12" cy="12" r="12" fill="${ring}"/><g transform="translate(2.4 2.4) scale(.8)">${disc}</g>` : disc;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${content}</svg>\n`;
}

/** Two digits after the point are more than a screen shows of a logo of 24 units. */
const shortened = (svg) => svg.replace(/ d="[^"]*"/g, (path) => path.replace(/(\.\d\d)\d+/g, '$1'));

/** The icons of well-known coins by coin, those that fit. */
export async function tokenIcons(assets, chainIcons) {
  const icons = new Map();
  for (const { coin } of assets) {
    const kind = Object.keys(FORMS).find((one) => Object.hasOwn(FORMS[one], coin));
    const mark = await markOf(kind ? FORMS[kind][coin] : coin, chainIcons);
    if (!mark) continue;
    const svg = drawn(mark, RINGS[kind]);
    const fitting = [svg, shortened(svg)].find((one) => Buffer.byteLength(one) <= LIMIT);
    if (fitting) icons.set(coin, fitting);
  }
  const unknown = [...Object.keys(CHAINS), ...Object.values(FORMS).flatMap(Object.keys)].find((coin) => !assets.some((asset) => asset.coin === coin));
  if (unknown) throw new Error(`token-icons.mjs names ${unknown}, which top.toml does not`);
  return icons;
}
