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
// Serves the examples, with the built SDK next to the HTML example.
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

/** Behaves like a browser wallet around `wallet`: it knows only the chains that were added. */
function injectedWallet(account, wallet) {
  const chains = [];
  const methods = [];
  const request = async ({ method, params }) => {
    methods.push(method);
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
  return { methods, request };
}

/** Opens an example with a funded wallet injected. Fails on any console error or warning. */
export async function visit(example, use, createWallet = (account) => fromViem(walletOf(8453, account))) {
  const context = await browser.newContext({ viewport: { width: 900, height: 1000 } });
  context.setDefaultTimeout(60_000);
  const errors = [];
  try {
    const tab = await context.newPage();
    tab.on('dialog', (dialog) => dialog.accept());
    tab.on('console', (message) => ['error', 'warning'].includes(message.type()) && errors.push(message.text()));
    tab.on('pageerror', (error) => errors.push(error.message));
    const { account } = await payer();
    const wallet = injectedWallet(account, createWallet(account));
    await tab.exposeFunction('requestWallet', wallet.request);
    await tab.addInitScript(() => {
      window.ethereum = {
        on() {},
        removeListener() {},
        request: async (args) => {
          const { result, error } = await window.requestWallet(args);
          if (error) throw Object.assign(new Error(error.message), error);
          return result;
        },
      };
    });
    await tab.goto(`http://127.0.0.1:${server.address().port}/${example}/?service=${encodeURIComponent(BASE)}`);
    await use(tab, account, wallet);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}

/** Saves a screenshot to the folder SCREENSHOTS, if it is set. */
export async function screenshot(page, name) {
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png` });
}
