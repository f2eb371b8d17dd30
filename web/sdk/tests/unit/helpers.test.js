import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import * as sdk from '@causeway/sdk';
import { Server } from '../server.js';

const { createClient, depositQrCodeUrl, parseTokenIdentifier, qrCodeUrl, transferQrCodeUrl, VERSION } = sdk;

describe('a client', () => {
  it('takes base addresses with slashes at their end, and refuses what cannot work', () => {
    for (const baseUrl of ['http://a', 'http://a/', ' http://a// ', 'HTTP://a']) assert.equal(createClient({ baseUrl }).baseUrl, 'http://a');
    assert.equal(createClient({ baseUrl: 'https://a/swap//' }).baseUrl, 'https://a/swap');
    for (const baseUrl of ['', 'a', 'ftp://a', 'http://', 'http://a/?b', 'http://a/#b', 'javascript:alert(1)']) {
      assert.throws(() => createClient({ baseUrl }), TypeError, baseUrl);
    }
    assert.throws(() => createClient({ baseUrl: 'http://a', headers: { 'a b': 'c' } }), TypeError);
  });

  it('waits 15 seconds unless told, and asks for fiat where swaps are unless told', () => {
    const { timeout, fiatBaseUrl } = createClient({ baseUrl: 'http://a' });
    assert.deepEqual([timeout, fiatBaseUrl], [15_000, 'http://a']);
    assert.equal(createClient({ baseUrl: 'http://a', fiatBaseUrl: 'http://b/' }).fiatBaseUrl, 'http://b');
  });

  it('names the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal(VERSION, `ts-${version}`);
  });

  it('asks by the fetch that it was given, which is never called as a method', async () => {
    let self = 'unasked';
    const fetch = async function fetch() {
      self = this;
      return Response.json([]);
    };
    assert.deepEqual(await sdk.getChains(createClient({ baseUrl: 'http://a', fetch })), []);
    assert.equal(self, undefined);
  });

  it('ends in time although its fetch does not listen', async () => {
    const client = createClient({ baseUrl: 'http://a', fetch: () => new Promise(() => {}) });
    await assert.rejects(sdk.getChains(client, { timeout: 20 }), { name: 'ApiTimeoutError', message: 'The service did not answer within 20 ms.' });
    const aborted = sdk.getChains(client, { signal: AbortSignal.timeout(20) });
    await assert.rejects(aborted, { name: 'ApiAbortedError' });
  });

  it('hangs up when a stream is left', async () => {
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
      await server.left();
    } finally {
      server.stop();
    }
  });

  it('refuses a line without an end', async () => {
    const server = await Server.start([{ status: 200, chunks: Array(3).fill('x'.repeat(2 ** 19)), end: 'hang' }]);
    try {
      const routes = sdk.streamQuotes(createClient({ baseUrl: server.url }), {});
      await assert.rejects(routes.next(), { code: 'SVC3003' });
    } finally {
      server.stop();
    }
  });

  it('says what does not answer', async () => {
    const server = await Server.start([]);
    server.stop();
    await assert.rejects(sdk.getChains(createClient({ baseUrl: server.url })), (error) => {
      assert.match(error.message, /ECONNREFUSED/);
      return sdk.isTransient(error) && error.code === 'SVC3001';
    });
  });

  it('keeps a segment in its place whatever it is', async () => {
    const seen = [];
    const fetch = async (url) => { seen.push(new URL(url).pathname); return Response.json({}); };
    const client = createClient({ baseUrl: 'http://a/b', fetch });
    for (const id of ['..', '.', '', 'a/../../c', '%2e%2e', 'ü?#']) await assert.rejects(sdk.getOrder(client, id), { code: 'SVC3003' });
    assert.ok(seen.every((path) => path.startsWith('/b/v1/orders/by-id/')), seen.join(' '));
  });
});

describe('a token identifier', () => {
  const EVM = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
  const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const good = [
    [`eip155:8453:${EVM}`, { chainId: 8453, address: EVM }],
    [`solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${MINT}`, { chainId: 20_011_000_000, address: MINT }],
    [`solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${'1'.repeat(32)}`, { chainId: 20_011_000_000, address: '1'.repeat(32) }],
    [{ chainId: 1, address: EVM }, { chainId: 1, address: EVM }],
    [JSON.stringify({ chainId: 20_011_000_000, address: MINT }), { chainId: 20_011_000_000, address: MINT }],
  ];
  for (const [input, expected] of good) {
    it(`is read from ${JSON.stringify(input)}`, () => assert.deepEqual(parseTokenIdentifier(input), expected));
  }
  const bad = ['', 'usdc', 'eip155:1', `eip155:x:${EVM}`, `eip155:01:${EVM}`, `eip155:1:${MINT}`, `eip155:1:${EVM}:more`, `bip122:1:${EVM}`,
    `solana:devnet:${MINT}`, '{', '{}', '{"chainId":"1"}', { chainId: 0, address: EVM }, { chainId: 1.5, address: EVM }, null, undefined, 5];
  for (const input of bad) {
    it(`is not read from ${JSON.stringify(input)}`, () => assert.throws(() => parseTokenIdentifier(input), TypeError));
  }
});

describe('the picture of a deposit', () => {
  const client = createClient({ baseUrl: 'http://swap.example/api' });
  const deposit = { depositAddress: '0xd', amount: '1230000', caip2: 'eip155:1', token: '0xt', decimals: 6, memo: null };
  const transfer = 'http://swap.example/api/api/qrcode/transfer?amount=1.23&recipient=0xd&caip2=eip155%3A1&token=0xt&decimals=6';

  it('is the service\'s own, else of its payload, else of the transfer, else of the bare address', () => {
    const all = { ...deposit, qrImageUrl: 'http://drawn', paymentUri: 'ethereum:0xd', qrPayload: 'payload' };
    assert.equal(depositQrCodeUrl(client, all), 'http://drawn');
    assert.equal(depositQrCodeUrl(client, { ...all, qrImageUrl: '' }), 'http://swap.example/api/api/qrcode?content=ethereum%3A0xd');
    assert.equal(depositQrCodeUrl(client, { ...deposit, qrPayload: 'payload' }, 200), 'http://swap.example/api/api/qrcode?content=payload&size=200');
    assert.equal(depositQrCodeUrl(client, deposit), transfer);
    for (const missing of ['amount', 'caip2', 'token', 'decimals']) {
      assert.equal(depositQrCodeUrl(client, { ...deposit, [missing]: undefined }), 'http://swap.example/api/api/qrcode?content=0xd', missing);
    }
  });

  it('has the amount as people write it', () => {
    const amount = (raw, decimals) => new URL(depositQrCodeUrl(client, { ...deposit, amount: raw, decimals })).searchParams.get('amount');
    const table = [['1', 18, '0.000000000000000001'], ['0', 6, '0'], ['1000000', 6, '1'], ['10500000', 6, '10.5'], ['7', 0, '7'], ['007', 0, '7']];
    for (const [raw, decimals, text] of table) assert.equal(amount(raw, decimals), text, raw);
  });

  it('is drawn where the client was told, a path being one of the embed origin', () => {
    const at = (more) => qrCodeUrl(createClient({ baseUrl: 'http://a/swap', ...more }), 'x');
    assert.equal(at({}), 'http://a/swap/api/qrcode?content=x');
    assert.equal(at({ embedUrl: 'http://b/' }), 'http://b/api/qrcode?content=x');
    assert.equal(at({ embedUrl: 'http://b/embed', qrCodeApiUrl: '/qr/' }), 'http://b/qr?content=x');
    assert.equal(at({ embedUrl: 'http://b/embed', qrCodeApiUrl: 'qr' }), 'http://b/qr?content=x');
    assert.equal(at({ qrCodeApiUrl: 'https://c/qr' }), 'https://c/qr?content=x');
    assert.match(transferQrCodeUrl(client, { ...deposit, recipient: '0xd', memo: 'm&m', size: 300 }), /&memo=m%26m&size=300$/);
  });
});

describe('a refusal', () => {
  it('is waited out only where it may pass', () => {
    const cases = [
      [new sdk.ServiceError('x'), true],
      [new sdk.ServiceError('x', 'SVC3001', { status: 429 }), true],
      [new sdk.ServiceError('x', 'SVC3001', { status: 503 }), true],
      [new sdk.ServiceError('x', 'SVC3001', { status: 404 }), false],
      [new sdk.ServiceError('x', 'SVC3004'), false],
      [new sdk.ApiTimeoutError(1), true],
      [new sdk.ApiAbortedError(), false],
      [new sdk.InternalServerError('x', 'SVC3001', { status: 500 }), true],
      [new sdk.BroadcastError('x', 'SVC3007', { status: 502 }), false],
      [new sdk.BadRequestError('x', 'SVC3001', { status: 502 }), false],
      [new sdk.BadRequestError('x', 'SVC6004', { status: 502 }), true],
      [new sdk.BadRequestError('x', 'SVC6004', { status: 422 }), false],
      [new Error('x'), false],
    ];
    for (const [error, expected] of cases) assert.equal(sdk.isTransient(error), expected, `${error.name} ${error.code} ${error.details?.status}`);
  });

  it('outside a browser has its own number', async () => {
    const client = createClient({ baseUrl: 'http://a' });
    const order = { orderId: 'o', wrapperUrl: 'http://a', widgetUrl: 'http://a' };
    await assert.rejects(sdk.startCheckout(client, order), { name: 'ServiceError', code: 'SVC6007' });
    await assert.rejects(sdk.embedCheckout(client, order, undefined), { code: 'SVC6007' });
    assert.throws(() => sdk.redirectToCheckout(order), { code: 'SVC6007' });
  });
});
