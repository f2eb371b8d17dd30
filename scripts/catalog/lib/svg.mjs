// What a logo may consist of: shapes and paint. Anything else makes the build fail rather than slip through.
const ELEMENTS = new Set([
  'svg', 'g', 'defs', 'path', 'circle', 'ellipse', 'rect', 'line', 'polygon', 'polyline',
  'clipPath', 'mask', 'linearGradient', 'radialGradient', 'stop',
]);
const ATTRIBUTES = new Set([
  'd', 'cx', 'cy', 'r', 'rx', 'ry', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'fx', 'fy', 'width', 'height', 'points', 'transform', 'id',
  'fill', 'fill-opacity', 'fill-rule', 'clip-path', 'clip-rule', 'mask', 'opacity', 'offset', 'stop-color', 'stop-opacity',
  'stroke', 'stroke-width', 'stroke-linecap', 'stroke-linejoin', 'stroke-miterlimit', 'gradientUnits', 'gradientTransform', 'maskUnits',
]);
const ROOT_ONLY = new Set(['xmlns', 'viewBox', 'class']);

const TAG = /<(\/?)([A-Za-z]+)((?:\s+[\w:-]+\s*=\s*"[^"]*")*)\s*(\/?)>/g;
const ATTRIBUTE = /([\w:-]+)\s*=\s*"([^"]*)"/g;

function attributesOf(text) {
  return [...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name, value.trim().replace(/\s+/g, ' ')]);
}

function cleanValue(name, value, prefix) {
  if (name === 'id') return prefix + value;
  const local = value.replace(/url\(#([\w-]+)\)/g, (_, id) => `url(#${prefix}${id})`);
  const rest = local.replace(/url\(#[\w-]+\)/g, '');
  if (/url\(|[<>&;:\\]|script|data/i.test(rest)) throw new Error(`unfit value of ${name}: ${value}`);
  return local;
}

/**
 * Takes a logo apart: its shapes as minified markup with every id prefixed, the paint its root hands down,
 * and the side lengths of its view box. Throws on anything that is not plain drawing.
 */
export function readLogo(source, prefix) {
  const text = source.trim();
  let body = '';
  let root = null;
  let end = 0;
  for (const match of text.matchAll(TAG)) {
    if (text.slice(end, match.index).trim() !== '') throw new Error(`text between tags: ${text.slice(end, match.index).trim().slice(0, 60)}`);
    end = match.index + match[0].length;
    const [, closing, element, rest, selfClosing] = match;
    if (!ELEMENTS.has(element)) throw new Error(`element <${element}> is not allowed`);
    if (element === 'svg') {
      if (!closing) root = Object.fromEntries(attributesOf(rest));
      continue;
    }
    const kept = attributesOf(rest).map(([name, value]) => {
      if (!ATTRIBUTES.has(name)) throw new Error(`attribute ${name} on <${element}> is not allowed`);
      return ` ${name}="${cleanValue(name, value, prefix)}"`;
    });
    body += closing ? `</${element}>` : `<${element}${kept.join('')}${selfClosing ? '/' : ''}>`;
  }
  if (!root || end !== text.length) throw new Error('not one whole svg');
  for (const name of Object.keys(root)) {
    if (!ROOT_ONLY.has(name) && !ATTRIBUTES.has(name)) throw new Error(`attribute ${name} on <svg> is not allowed`);
  }
  const [x, y, width, height] = (root.viewBox ?? `0 0 ${root.width} ${root.height}`).split(/[\s,]+/).map(Number);
  if (x !== 0 || y !== 0 || !(width > 0) || !(height > 0)) throw new Error('view box must start at the origin');
  return { body, fill: root.fill, width, height };
}
