import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after } from 'node:test';
import { fromViem } from '@causeway/sdk/viem';
import { chromium } from 'playwright-core';
import { BASE, payer, walletOf } from './sandbox.js';

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
});
// The examples as they lie there, with the built SDK beside the HTML one.
const server = createServer(async ({ url }, response) => {
  const path = new URL(url, 'http://a').pathname.replace('/html/sdk/', '/../dist/').replace(/\/$/, '/index.html');
  const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
  response.writeHead(200, { 'content-type': type }).end(await readFile(new URL(`../examples${path}`, import.meta.url)));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(async () => {
  await browser.close();
  server.close();
  server.closeAllConnections();
});

/** Answers as wallets in browsers do: it knows no chain that it was not told of. */
function injected(account) {
  const wallet = fromViem(walletOf(8453, account));
  const chains = [];
  const asked = [];
  const request = async ({ method, params }) => {
    asked.push(method);
    switch (method) {
      case 'eth_requestAccounts':
        return { result: [account.address] };
      case 'wallet_requestPermissions':
        return { result: [{ caveats: [{ type: 'restrictReturnedAccounts', value: [account.address] }] }] };
      case 'wallet_addEthereumChain':
        return { result: chains.push(params[0].chainId) && null };
      case 'wallet_switchEthereumChain':
        return chains.includes(params[0].chainId) ? { result: null } : { error: { code: 4902, message: 'Unrecognized chain.' } };
      default:
        return { result: (await wallet.request({ method, params })) ?? null };
    }
  };
  return { asked, request };
}

/** Opens an example with a funded wallet in its window; nothing may complain. */
export async function visit(example, use) {
  const context = await browser.newContext({ viewport: { width: 900, height: 1000 } });
  context.setDefaultTimeout(60_000);
  const complaints = [];
  try {
    const tab = await context.newPage();
    tab.on('dialog', (dialog) => dialog.accept());
    tab.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
    tab.on('pageerror', (error) => complaints.push(error.message));
    const { account } = await payer();
    const wallet = injected(account);
    await tab.exposeFunction('ask', wallet.request);
    await tab.addInitScript(() => {
      window.ethereum = {
        on() {},
        removeListener() {},
        request: async (args) => {
          const { result, error } = await window.ask(args);
          if (error) throw Object.assign(new Error(error.message), error);
          return result;
        },
      };
    });
    await tab.goto(`http://127.0.0.1:${server.address().port}/${example}/?service=${encodeURIComponent(BASE)}`);
    await use(tab, account, wallet);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

/** For whoever wants to look: a picture in the folder that SCREENSHOTS names. */
export async function picture(page, name) {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` });
}
