import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import * as sdk from '@causeway/sdk';
import { Server } from '../server.js';

const table = (name) => JSON.parse(readFileSync(new URL(`../../../../tests/cases/${name}.json`, import.meta.url), 'utf8'));

const { createClient, depositQrCodeUrl, parseTokenIdentifier, qrCodeUrl, transferQrCodeUrl, VERSION } = sdk;

describe('a client', () => {
  it('normalizes base URLs and rejects invalid ones', () => {
    for (const baseUrl of ['http://a', 'http://a/', ' http://a// ', 'HTTP://a']) assert.equal(createClient({ baseUrl }).baseUrl, 'http://a');
    assert.equal(createClient({ baseUrl: 'https://a/swap//' }).baseUrl, 'https://a/swap');
    for (const baseUrl of ['', 'a', 'ftp://a', 'http://', 'http://a/?b', 'http://a/#b', 'javascript:alert(1)']) {
      assert.throws(() => createClient({ baseUrl }), TypeError, baseUrl);
    }
    assert.throws(() => createClient({ baseUrl: 'http://a', headers: { 'a b': 'c' } }), TypeError);
  });

  it('has a default timeout of 15 seconds and uses the base URL for fiat by default', () => {
    const { timeout, fiatBaseUrl } = createClient({ baseUrl: 'http://a' });
    assert.deepEqual([timeout, fiatBaseUrl], [15_000, 'http://a']);
    assert.equal(createClient({ baseUrl: 'http://a', fiatBaseUrl: 'http://b/' }).fiatBaseUrl, 'http://b');
  });

  it('has the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal(VERSION, `ts-${version}`);
  });

  it('uses the given fetch and never calls it as a method', async () => {
    let self = 'not called';
    const fetch = async function fetch() {
      self = this;
      return Response.json([]);
    };
    assert.deepEqual(await sdk.getChains(createClient({ baseUrl: 'http://a', fetch })), []);
    assert.equal(self, undefined);
  });

  it('times out even if fetch ignores its signal', async () => {
    const client = createClient({ baseUrl: 'http://a', fetch: () => new Promise(() => {}) });
    await assert.rejects(sdk.getChains(client, { timeout: 20 }), { name: 'ApiTimeoutError', message: 'The service did not answer within 20 ms.' });
    const aborted = sdk.getChains(client, { signal: AbortSignal.timeout(20) });
    await assert.rejects(aborted, { name: 'ApiAbortedError' });
  });

  it('closes the connection when the loop over a stream ends', async () => {
    const line = JSON.stringify({
      quoteId: 'q', routeId: 'r', type: 't', depositMethods: [],
      quote: { amountIn: '1', amountOut: '1', minAmountOut: '1', expectedDurationSeconds: 1, validBefore: 1, tags: [] },
    });
    const server = await Server.start([{ status: 200, lines: [line], end: 'hang' }]);
    try {
      for await (const route of sdk.streamQuotes(createClient({ baseUrl: server.url }), {})) {
        assert.equal(route.routeId, 'r');
        break;
      }
      await server.disconnected();
    } finally {
      server.stop();
    }
  });

  it('rejects an endless line', async () => {
    const server = await Server.start([{ status: 200, chunks: Array(3).fill('x'.repeat(2 ** 19)), end: 'hang' }]);
    try {
      const routes = sdk.streamQuotes(createClient({ baseUrl: server.url }), {});
      await assert.rejects(routes.next(), { code: 'SVC3003' });
    } finally {
      server.stop();
    }
  });

  it('reports the connection error of an unreachable service', async () => {
    const server = await Server.start([]);
    server.stop();
    await assert.rejects(sdk.getChains(createClient({ baseUrl: server.url })), (error) => {
      assert.match(error.message, /ECONNREFUSED/);
      return sdk.isTransient(error) && error.code === 'SVC3001';
    });
  });

  it('escapes path segments', async () => {
    const seen = [];
    const fetch = async (url) => { seen.push(new URL(url).pathname); return Response.json({}); };
    const client = createClient({ baseUrl: 'http://a/b', fetch });
    for (const id of ['..', '.', '', 'a/../../c', '%2e%2e', 'ü?#']) await assert.rejects(sdk.getOrder(client, id), { code: 'SVC3003' });
    assert.ok(seen.every((path) => path.startsWith('/b/v1/orders/by-id/')), seen.join(' '));
  });
});

describe('an idempotency key', () => {
  const calls = {
    buildDeposit: [(client, options) => sdk.buildDeposit(client, { quoteId: 'q', routeId: 'r', from: 'a' }, options), { kind: 'CONTRACT_CALL', approvals: [] }],
    submitDeposit: [(client, options) => sdk.submitDeposit(client, { quoteId: 'q', routeId: 'r', txHash: '0x1' }, options), { orderId: 'o' }],
    createFiatOrder: [(client, options) => sdk.createFiatOrder(client, { quoteId: 'q', author: 'a' }, options), { orderId: 'o', widgetUrl: 'http://a', wrapperUrl: 'http://a' }],
  };
  for (const [name, [call, answer]] of Object.entries(calls)) {
    it(`is sent by ${name}, and only if there is one`, async () => {
      const server = await Server.start([{ status: 200, json: answer }]);
      try {
        const client = createClient({ baseUrl: server.url });
        await call(client, { idempotencyKey: 'b7c1' });
        await call(client);
        await call(client, {});
        assert.deepEqual(server.requests.map(({ headers }) => headers['idempotency-key']), ['b7c1', undefined, undefined]);
      } finally {
        server.stop();
      }
    });
  }

  it('that no header can hold is a TypeError, and nothing is sent', async () => {
    const client = createClient({ baseUrl: 'http://127.0.0.1:9', fetch: () => assert.fail('a request was sent') });
    await assert.rejects(sdk.buildDeposit(client, { quoteId: 'q', routeId: 'r', from: 'a' }, { idempotencyKey: 'a\nb' }), TypeError);
  });
});

describe('a token identifier', () => {
  const { good, bad } = table('token-identifiers');
  for (const { input, token } of good) {
    it(`is read from ${JSON.stringify(input)}`, () => assert.deepEqual(parseTokenIdentifier(input), token));
  }
  for (const input of [...bad, null, undefined, 5, { chainId: 0, address: '0x' }, { chainId: 1.5, address: `0x${'1'.repeat(40)}` }]) {
    it(`is not read from ${JSON.stringify(input)}`, () => assert.throws(() => parseTokenIdentifier(input), TypeError));
  }
  it('is read from an object', () => {
    const [{ token }] = good;
    assert.deepEqual(parseTokenIdentifier(token), token);
  });
});

describe('a QR code', () => {
  const { clients, transfers, deposits } = table('qr');
  for (const { client, url } of clients) {
    it(`of ${JSON.stringify(client)} has the URL ${url}`, () => assert.equal(qrCodeUrl(createClient(client), 'x'), url));
  }
  for (const { transfer, url } of transfers) {
    it(`of the transfer ${JSON.stringify(transfer)} has its URL`, () => {
      assert.equal(transferQrCodeUrl(createClient({ baseUrl: 'http://swap.example' }), transfer), url);
    });
  }
  for (const { name, deposit, size, url } of deposits) {
    it(`of a deposit: ${name}`, () => assert.equal(depositQrCodeUrl(createClient({ baseUrl: 'http://swap.example' }), deposit, size), url));
  }
});

describe('an error', () => {
  it('is transient only if a retry may succeed', () => {
    const cases = [
      [new sdk.ServiceError('x'), true],
      [new sdk.ServiceError('x', 'SVC3001', { status: 429 }), true],
      [new sdk.ServiceError('x', 'SVC3001', { status: 503 }), true],
      [new sdk.ServiceError('x', 'SVC3001', { status: 404 }), false],
      [new sdk.ServiceError('x', 'SVC3001', { status: 409, retryAfter: 1000 }), true],
      [new sdk.ServiceError('x', 'SVC3001', { status: 409 }), false],
      [new sdk.ServiceError('x', 'SVC3004'), false],
      [new sdk.ApiTimeoutError(1), true],
      [new sdk.ApiAbortedError(), false],
      [new sdk.InternalServerError('x', 'SVC3001', { status: 500 }), true],
      [new sdk.BroadcastError('x', 'SVC3007', { status: 502 }), false],
      [new sdk.BadRequestError('x', 'SVC3001', { status: 502 }), false],
      [new sdk.FiatProviderError('x', 'SVC6004', { status: 502 }), true],
      [new sdk.FiatProviderError('x', 'SVC6004', { status: 422 }), false],
      [new sdk.FiatAmountError('x', 'SVC6005', { status: 422 }), false],
      [new Error('x'), false],
    ];
    for (const [error, expected] of cases) assert.equal(sdk.isTransient(error), expected, `${error.name} ${error.code} ${error.details?.status}`);
  });

  it('of a checkout outside a browser is SVC6007', async () => {
    const client = createClient({ baseUrl: 'http://a' });
    const order = { orderId: 'o', wrapperUrl: 'http://a', widgetUrl: 'http://a' };
    await assert.rejects(sdk.startCheckout(client, order), { name: 'ServiceError', code: 'SVC6007' });
    await assert.rejects(sdk.embedCheckout(client, order, undefined), { code: 'SVC6007' });
    assert.throws(() => sdk.redirectToCheckout(order), { code: 'SVC6007' });
  });
});
