import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The committed pictures. */
const folder = fileURLToPath(new URL('./pictures/', import.meta.url));
/** A difference of a colour channel up to this is that of another rasteriser. */
const CHANNEL_TOLERANCE = 48;
/** The share of pixels that may differ more: the edges of letters, of which another hinting changes up to 1.9 %. */
const MAX_DIFFERENT_SHARE = 0.02;
/** Signs that the font lacks come from the machine's own fonts, whose lines may be a little higher. */
const MAX_HEIGHT_DIFFERENCE = 4;
const WIDTHS = [375, 1280];

const { resolve } = createRequire(import.meta.url);
const fonts = await Promise.all([400, 500, 700].map(async (weight) => {
  const font = await readFile(resolve(`@fontsource/roboto/files/roboto-latin-${weight}-normal.woff2`), 'base64');
  return `@font-face { font-family: Picture; font-weight: ${weight}; src: url(data:font/woff2;base64,${font}); }`;
}));
/** The same font on every machine, and nothing that moves. The page must allow inline styles. */
const STYLE = `${fonts.join('\n')} :root { --causeway-font: Picture; --causeway-font-mono: Picture; } main { gap: 0 !important; } h1 { display: none; }`;

/**
 * Puts a still copy beside the widget, which goes on but is hidden. Texts that differ from run to run are the same in the copy: numbers,
 * addresses and names of fillers; their logos and the dots of a QR code are left out.
 */
async function still(page) {
  await page.evaluate(async () => {
    const widget = document.querySelector('causeway-widget');
    document.querySelector('#still')?.remove();
    widget.style.display = '';
    const copy = document.createElement('div');
    for (const { name, value } of widget.attributes) if (name !== 'style') copy.setAttribute(name, value);
    copy.id = 'still';
    const root = copy.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [...widget.shadowRoot.adoptedStyleSheets];
    root.append(...[...widget.shadowRoot.childNodes].map((node) => node.cloneNode(true)));
    const style = document.createElement('style');
    style.textContent = '*, *::before, *::after { animation: none !important; transition: none !important; } .route .logo-chain, .route .logo, .qr img { visibility: hidden; }';
    root.append(style);
    const plain = (text) => text
      .replace(/0x[0-9a-f]+(…[0-9a-f]+)?|\b[0-9a-f]{4,}…[0-9a-f]{4,}\b/gi, '0x0')
      .replace(/\b(north|south)\b/gi, 'filler')
      .replace(/\d[\d.,:]*/g, '0');
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) if (texts.currentNode.parentNode !== style) texts.currentNode.data = plain(texts.currentNode.data);
    for (const input of root.querySelectorAll('input')) {
      input.value = plain(input.value);
      input.style.fontSize = '';
    }
    widget.style.display = 'none';
    widget.after(copy);
    await Promise.all([...root.querySelectorAll('img')].map((image) => image.decode().catch(() => {})));
    await document.fonts.ready;
  });
}

/** Compares this state of the widget with its committed pictures: small and large, light and dark. `UPDATE_PICTURES` writes them instead. */
export async function compare(page, state) {
  await page.addStyleTag({ content: STYLE });
  await page.mouse.move(0, 0);
  const different = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 1100 });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await still(page);
      const name = `${state}-${colorScheme}-${width}.png`;
      const picture = await page.locator('#still').screenshot({ animations: 'disabled', caret: 'hide' });
      if (process.env.UPDATE_PICTURES) await write(folder, name, picture);
      else different.push(...(await difference(page, name, picture)));
    }
  }
  await page.evaluate(() => {
    document.querySelector('#still').remove();
    document.querySelector('causeway-widget').style.display = '';
  });
  assert.deepEqual(different, [], 'if these changes are wanted: npm run pictures');
}

async function write(into, name, picture) {
  await mkdir(into, { recursive: true });
  await writeFile(`${into}/${name}`, picture);
}

/** Words for the difference from the committed picture, if there is one that counts. The browser decodes both. */
async function difference(page, name, picture) {
  const wanted = await readFile(`${folder}${name}`, 'base64').catch(() => undefined);
  if (!wanted) return [`${name}: there is no committed picture`];
  const share = await page.evaluate(async ([one, other, tolerance, maxHeightDifference]) => {
    const pixels = async (base64) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const { width, height } = image;
      const canvas = new OffscreenCanvas(width, height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      return { width, height, data: canvas.getImageData(0, 0, width, height).data };
    };
    const [a, b] = await Promise.all([pixels(one), pixels(other)]);
    if (a.width !== b.width || Math.abs(a.height - b.height) > maxHeightDifference) return `${a.width} × ${a.height} instead of ${b.width} × ${b.height}`;
    let count = 0;
    for (let at = 0; at < Math.min(a.data.length, b.data.length); at += 4) {
      if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > tolerance)) count += 1;
    }
    return count / (a.width * a.height);
  }, [picture.toString('base64'), wanted, CHANNEL_TOLERANCE, MAX_HEIGHT_DIFFERENCE]);
  if (process.env.SHOW_DIFFERENCES) console.log(name, share);
  if (typeof share === 'number' && share <= MAX_DIFFERENT_SHARE) return [];
  if (process.env.SCREENSHOTS) await write(process.env.SCREENSHOTS, name, picture);
  return [`${name}: ${typeof share === 'number' ? `${(share * 100).toFixed(2)} % of the pixels differ` : share}`];
}
