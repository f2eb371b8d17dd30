import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.html': 'text/html; charset=utf-8' };

/** The tag of a widget with these attributes. */
export function tag(attributes) {
  const text = Object.entries(attributes).map(([name, value]) => ` ${name}="${String(value).replace(/"/g, '&quot;')}"`).join('');
  return `<causeway-widget${text}></causeway-widget>`;
}

/**
 * A host's web server, on an origin that is not the service's: pages by their path, and the built widget beside them.
 *
 * Every page has a strict content security policy that allows the service and nothing inline.
 */
export async function stage(service, pages) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://host');
    const page = pages[pathname];
    const images = new URL(service).origin;
    response.setHeader('access-control-allow-origin', '*');
    if (page !== undefined) {
      response.setHeader('content-type', TYPES['.html']);
      response.setHeader('content-security-policy', `default-src 'none'; script-src 'self' ${service}; connect-src ${service}; img-src ${images} data:; style-src 'self'; frame-src ${service}; base-uri 'none'`);
      response.end(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A host</title><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><link rel="stylesheet" href="/host.css"></head><body><main><h1>A host</h1>${page}</main></body></html>`);
      return;
    }
    if (pathname === '/host.css') {
      response.setHeader('content-type', 'text/css');
      response.end(':root{color-scheme:light dark;background:light-dark(#eef2f3,#0a0f11)}body{margin:0;padding:24px 8px;font-family:sans-serif}main{display:grid;gap:24px}');
      return;
    }
    try {
      response.setHeader('content-type', TYPES[extname(pathname)] ?? 'text/plain');
      response.end(await readFile(`${dist}${pathname.slice(1)}`));
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
