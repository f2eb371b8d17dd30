// Runs the shared case table (`cases.json`) against a local server.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { createClient } from '@causeway/sdk';
import { call } from '../call.js';
import { Server } from '../server.js';

const { cases } = JSON.parse(await readFile(new URL('../../../../tests/cases/cases.json', import.meta.url), 'utf8'));

describe('the case table', { concurrency: 16 }, () => {
  for (const entry of cases) it(entry.name, () => run(entry));
});

async function run({ server: behaviours, client: settings = {}, abort, call: callSpec, expect }) {
  const server = await Server.start(behaviours);
  const controller = new AbortController();
  try {
    const client = createClient({
      baseUrl: server.url + (settings.basePath ?? ''), timeout: settings.timeoutMs, headers: settings.headers,
      apiKey: settings.apiKey,
      qrCodeApiUrl: settings.qrHost && `${server.url.replace('127.0.0.1', settings.qrHost)}/qr`,
    });
    if (abort === 'before') controller.abort();
    const expectedItems = expect.items?.length ?? 0;
    const hasAllItems = withResolvers();
    const items = [];
    const statuses = [];
    const onItem = (item) => items.push(item) >= expectedItems && hasAllItems.resolve();
    if (expectedItems === 0) hasAllItems.resolve();
    const abortDuring = async () => {
      if (abort !== 'during') return;
      for (const _ of behaviours) await server.responded();
      await hasAllItems.promise;
      controller.abort();
    };
    const start = Date.now();
    const running = call(client, callSpec, controller.signal, onItem, statuses).then((value) => ({ value }), (error) => ({ error }));
    const [outcome] = await Promise.all([running, abortDuring()]);
    if (abort === 'after') controller.abort();
    if (expect.withinMs) assert.ok(Date.now() - start < expect.withinMs, `it took ${Date.now() - start} ms`);
    check(expect, { ...outcome, items, statuses, requests: server.requests });
  } finally {
    server.stop();
  }
}

function withResolvers() {
  const all = {};
  all.promise = new Promise((resolve) => { all.resolve = resolve; });
  return all;
}

function check(expect, { value, error, items, statuses, requests }) {
  if (expect.error) checkError(expect.error, error ?? assert.fail(`expected an error, got ${JSON.stringify(value)}`));
  else if (error) throw error;
  else matches(value ?? null, expect.value ?? null);
  if (expect.items) matches(items, expect.items);
  if (expect.statuses) assert.deepEqual(statuses, expect.statuses);
  if (!expect.requests) return;
  assert.equal(requests.length, expect.requests.length, JSON.stringify(requests));
  expect.requests.forEach((expected, index) => checkRequest(expected, requests[index]));
}

function checkError({ class: name, code, message, status, body }, error) {
  assert.deepEqual([error.name, error.code], [name, code], error.stack);
  assert.notEqual(error.message, '');
  if (message !== undefined) assert.equal(error.message, message);
  if (status !== undefined) assert.equal(error.details.status, status);
  if (body !== undefined) assert.deepEqual(error.details.body, body);
}

function checkRequest({ method, path, query = {}, headers = {}, hasHeader, lacksHeaders = [], json }, request) {
  if (method) assert.equal(request.method, method);
  if (path) assert.equal(request.path, path);
  for (const [name, text] of Object.entries(query)) assert.equal(request.query[name], text, name);
  for (const [name, text] of Object.entries(headers)) assert.equal(request.headers[name.toLowerCase()], text, name);
  if (hasHeader) assert.ok(hasHeader.toLowerCase() in request.headers, hasHeader);
  for (const name of lacksHeaders) assert.ok(!(name in request.headers), name);
  if (json !== undefined) assert.deepEqual(JSON.parse(request.body), json);
}

/** Every expected field must be equal; arrays must have the same length. */
function matches(value, expected, path = 'value') {
  if (Array.isArray(expected)) {
    assert.equal(value?.length, expected.length, `${path}: ${JSON.stringify(value)}`);
    expected.forEach((item, index) => matches(value[index], item, `${path}[${index}]`));
  } else if (expected !== null && typeof expected === 'object') {
    for (const [name, field] of Object.entries(expected)) matches(value?.[name], field, `${path}.${name}`);
  } else {
    assert.deepEqual(value ?? null, expected, path);
  }
}
