// Calls every operation of a real service.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as sdk from '@causeway/sdk';
import { readDocument } from '../../scripts/types.js';
import { BASE, COIN, payer, swapOf, USDC } from '../sandbox.js';

const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const requests = [];
const fetch = (input, init) => {
  requests.push(`${init.method} ${new URL(input).pathname}`);
  return globalThis.fetch(input, init);
};
const causeway = sdk.createCauseway({ baseUrl: `${BASE}/`, fetch });

describe('the service', () => {
  it('returns chains and their icons', async () => {
    const chains = await causeway.getChains();
    assert.equal(chains.length, 19);
    assert.match(await causeway.getChainIcon(chains[0].id), /^<svg/);
    const icon = await globalThis.fetch(causeway.chainIconUrl(8453));
    assert.equal(icon.headers.get('content-type'), 'image/svg+xml');
    await assert.rejects(causeway.getChainIcon(4242), ({ code, details }) => code === 'SVC3001' && details.status === 404);
  });

  it('returns tokens in pages', async () => {
    const page = await causeway.getTokens({ chainIds: [8453], limit: 2 });
    assert.equal(page.data.length, 2);
    const next = await causeway.getTokens({ chainIds: [8453], limit: 2, cursor: page.cursor });
    assert.notDeepEqual(next.data, page.data);
    assert.equal((await causeway.searchTokens({ q: 'usdc', chainIds: [8453] }))[0].symbol, 'USDC');
    assert.ok((await causeway.getTopTokens({ chainIds: [1, 8453] })).every(({ chainId }) => chainId === 1 || chainId === 8453));
    assert.ok((await causeway.getBalances(ACCOUNT, { chainIds: [1] })).tokens.every(({ extensions }) => extensions.balance));
    assert.ok((await causeway.autocomplete('100 usdc on base', { limit: 3 })).data.length > 0);
    assert.ok((await causeway.getSuggestions()).every(({ text }) => text));
  });

  it('returns the hub, vaults, fillers and its status', async () => {
    assert.equal((await causeway.getHubConfig()).chainId, 4_278_608);
    assert.ok((await causeway.getVaults()).length > 0);
    assert.ok((await causeway.getMTokens()).length > 0);
    assert.deepEqual(await causeway.getMTokens({ chainIds: [1] }), []);
    assert.ok((await causeway.getFillers()).length > 0);
    assert.equal((await causeway.getStatus()).mode, 'sandbox');
  });

  it('returns quotes, as a whole and as a stream', async () => {
    const quote = await causeway.getQuote(swapOf(ACCOUNT));
    assert.ok(quote.routes.length > 0);
    const streamed = [];
    for await (const route of causeway.streamQuotes(swapOf(ACCOUNT))) streamed.push(route);
    assert.equal(new Set(streamed.map(({ quoteId }) => quoteId)).size, 1);
    // A routeId is the offer itself, so that another quote has others.
    const offers = (routes) => routes.map(({ filler, depositMethods }) => `${filler} ${depositMethods}`).sort();
    assert.deepEqual(offers(streamed), offers(quote.routes));
  });

  it('returns errors that have their own classes', async () => {
    const rejects = (promise, name, code) => assert.rejects(promise, (error) => {
      assert.deepEqual([error.name, error.code], [name, code], error.stack);
      assert.ok(error instanceof sdk[name]);
      assert.equal(error.message, error.details.body.message);
      return true;
    });
    const ask = swapOf(ACCOUNT);
    await rejects(causeway.getQuote({ ...ask, amount: '-1' }), 'ApiValidationError', 'SVC3001');
    await rejects(causeway.getQuote({ ...ask, fromChainId: 4242 }), 'NotSupportedChainError', 'SVC3001');
    await rejects(causeway.getQuote({ ...ask, fromToken: ACCOUNT }), 'NotSupportedTokenError', 'SVC3001');
    await rejects(causeway.getQuote({ ...ask, amount: '1' }), 'CannotFillError', 'SVC3004');
    await rejects(causeway.buildDeposit({ quoteId: 'q', routeId: 'r', from: ACCOUNT }), 'QuoteNotFoundError', 'SVC3004');
    await rejects(causeway.getOrder('0'.repeat(32)), 'ServiceError', 'SVC3001');
    await rejects(causeway.getIntent(`0x${'0'.repeat(64)}`), 'IntentNotFoundError', 'SVC3001');
    await rejects(causeway.getIntentByDeposit({ chainId: 1, txHash: `0x${'0'.repeat(64)}` }), 'IntentNotFoundError', 'SVC3001');
    const { quoteId, routes: [{ routeId }] } = await causeway.getQuote(ask);
    await rejects(causeway.buildDeposit({ quoteId, routeId, from: COIN }), 'UnexpectedFromAddressError', 'SVC3006');
    await rejects(causeway.submitDeposit({ quoteId, routeId }), 'BadRequestError', 'SVC3001');
  });

  it('returns the QR code of a transfer, and its order by deposit address', async () => {
    const { account: { address } } = await payer();
    const { quoteId, routes: [{ routeId }] } = await causeway.getQuote(swapOf(address, { depositMethods: ['TRANSFER'] }));
    const deposit = await causeway.buildDeposit({ quoteId, routeId, from: address, depositMethod: 'TRANSFER' });
    assert.equal(causeway.depositQrCodeUrl(deposit), deposit.qrImageUrl);
    const { depositAddress, amount, caip2, token, decimals } = deposit;
    const own = causeway.depositQrCodeUrl({ depositAddress, amount, caip2, token, decimals });
    assert.equal(await (await globalThis.fetch(own)).text(), await (await globalThis.fetch(deposit.qrImageUrl)).text());
    assert.equal((await causeway.getOrdersAt(depositAddress)).data[0].orderId, deposit.orderId);
    assert.equal((await causeway.getOrderOf(address, deposit.orderId)).id, deposit.orderId);
    assert.equal(await causeway.getOrderOf(ACCOUNT, deposit.orderId), null);
    assert.equal((await causeway.getOrders(address)).data.length, 1);
    assert.equal((await causeway.searchOrders(depositAddress)).data[0].id, deposit.orderId);
    assert.equal((await causeway.getIntents(address, { fromChainId: 8453 })).data.length, 1);
    assert.match(await causeway.getQrCode('hello'), /^<svg/);
    assert.match(await causeway.getTransferQrCode({ amount: '1.5', recipient: address, caip2, token, decimals }), /^<svg/);
  });

  it('quotes and creates purchases', async () => {
    const { fiat } = causeway;
    const ask = { fiatCurrency: 'USD', fiatAmount: '100', toChainId: 8453, toToken: USDC, recipient: ACCOUNT };
    assert.ok((await fiat.getProviders()).some(({ id }) => id === 'sandbox-card'));
    assert.equal((await fiat.getConfig()).contractVersion, 1);
    const { quotes } = await fiat.getQuote(ask);
    assert.deepEqual(quotes.map(({ provider }) => provider).sort(), ['sandbox-bank', 'sandbox-card']);
    const streamed = [];
    for await (const line of fiat.streamQuotes(ask)) streamed.push(line.quote.provider);
    assert.deepEqual(streamed.sort(), ['sandbox-bank', 'sandbox-card']);
    const order = await fiat.createOrder({ quoteId: quotes[0].quoteId, author: ACCOUNT });
    assert.deepEqual(await fiat.createOrder({ quoteId: quotes[0].quoteId, author: ACCOUNT }), order);
    const status = await fiat.getStatus(order.orderId);
    assert.deepEqual([status.status, status.polling.isTerminal], ['created', false]);
    assert.equal((await fiat.getOrder(order.orderId)).orderId, order.orderId);
    assert.ok((await fiat.getOrdersByAddress(ACCOUNT, { status: 'created' })).data.some(({ orderId }) => orderId === order.orderId));
    await assert.rejects(fiat.getStatus('0'.repeat(32)), { name: 'ServiceError', code: 'SVC3001' });
    const none = await fiat.getQuote({ ...ask, fiatAmount: '0.01' });
    assert.deepEqual([none.quotes.length, none.errors.length], [0, 2]);
    await assert.rejects(fiat.getQuote({ ...ask, provider: 'nobody' }), { name: 'BadRequestError', code: 'SVC3001' });
    await assert.rejects(fiat.createOrder({ quoteId: 'q', author: ACCOUNT }), { name: 'QuoteNotFoundError', code: 'SVC3004' });
    await assert.rejects(fiat.startCheckout(order), { name: 'ServiceError', code: 'SVC6007' });
  });

  it('says that a provider is unavailable, or takes no such amount', async () => {
    const { fiat } = causeway;
    const { quotes: [{ quoteId }] } = await fiat.getQuote({ fiatCurrency: 'USD', fiatAmount: '100', provider: 'sandbox-card', toChainId: 8453, toToken: USDC, recipient: ACCOUNT });
    const { logoUrl } = (await fiat.getProviders()).find(({ id }) => id === 'sandbox-card');
    const set = (switches) => globalThis.fetch(new URL('/sandbox/onramps/sandbox-card/switches', logoUrl), {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(switches),
    });
    assert.equal((await set({ down: true })).status, 200);
    try {
      await assert.rejects(fiat.createOrder({ quoteId, author: ACCOUNT }), { name: 'FiatProviderError', code: 'SVC6004' });
      await set({ mostPays: '50' });
      await assert.rejects(fiat.createOrder({ quoteId, author: ACCOUNT }), { name: 'FiatAmountError', code: 'SVC6005', message: /50\.00 USD/ });
    } finally {
      await set({});
    }
    assert.ok((await fiat.createOrder({ quoteId, author: ACCOUNT })).wrapperUrl);
  });

  it('answers a repeated request with its idempotency key once, and refuses another one', async () => {
    const { account: { address } } = await payer();
    const { quoteId, routes: [{ routeId }] } = await causeway.getQuote(swapOf(address));
    const idempotencyKey = globalThis.crypto.randomUUID();
    const ask = { quoteId, routeId, from: address };
    const deposit = await causeway.buildDeposit(ask, { idempotencyKey });
    assert.deepEqual(await causeway.buildDeposit(ask, { idempotencyKey }), deposit);
    await assert.rejects(causeway.buildDeposit({ ...ask, recipient: ACCOUNT }, { idempotencyKey }), (error) => {
      assert.deepEqual([error.name, error.code, error.details.status, error.details.body.name], ['ServiceError', 'SVC3001', 422, 'IdempotencyKeyReusedException']);
      return true;
    });
  });

  it('has no operation that is missing in the SDK', async () => {
    // For operators, fillers, providers and browsers (routes and tokens link their icons), or aliases of another path;
    // events are tested with swaps.
    const excluded = ['/healthz', '/metrics', '/readyz', '/v1/config/arcadia', '/v1/fiat/webhook/{provider}', '/v1/fiat/widget/{orderId}',
      '/v1/fillers/{name}/icon', '/v1/intent/{intentId}/attestations', '/v1/orders/by-id/{orderId}/events',
      '/v1/token/{chainId}/{address}/icon'];
    for (const [path, item] of Object.entries((await readDocument()).paths)) {
      if (excluded.includes(path)) continue;
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
      for (const method of Object.keys(item)) {
        const found = requests.some((request) => request.startsWith(`${method.toUpperCase()} `) && pattern.test(request.split(' ')[1]));
        assert.ok(found, `${method} ${path} was never called`);
      }
    }
  });
});
