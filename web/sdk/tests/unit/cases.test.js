// The case table of all SDKs, against a server that misbehaves as each case says.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { createClient } from '@causeway/sdk';
import { call } from '../call.js';
import { Server } from '../server.js';

const { cases } = JSON.parse(await readFile(new URL('../../../../tests/cases/cases.json', import.meta.url), 'utf8'));

describe('the case table', { concurrency: 16 }, () => {
  for (const one of cases) it(one.name, () => play(one));
});

async function play({ server: behaviours, client: settings = {}, abort, call: asked, expect }) {
  const server = await Server.start(behaviours);
  const stop = new AbortController();
  try {
    const client = createClient({
      baseUrl: server.url + (settings.basePath ?? ''), timeout: settings.timeoutMs, headers: settings.headers,
      qrCodeApiUrl: settings.qrHost && `${server.url.replace('127.0.0.1', settings.qrHost)}/qr`,
    });
    if (abort === 'before') stop.abort();
    const awaited = expect.items?.length ?? 0;
    const enough = withResolvers();
    const items = [];
    const statuses = [];
    const took = (item) => items.push(item) >= awaited && enough.resolve();
    if (awaited === 0) enough.resolve();
    const during = async () => {
      if (abort !== 'during') return;
      for (const _ of behaviours) await server.said();
      await enough.promise;
      stop.abort();
    };
    const began = Date.now();
    const running = call(client, asked, stop.signal, took, statuses).then((value) => ({ value }), (error) => ({ error }));
    const [outcome] = await Promise.all([running, during()]);
    if (abort === 'after') stop.abort();
    if (expect.withinMs) assert.ok(Date.now() - began < expect.withinMs, `it took ${Date.now() - began} ms`);
    check(expect, { ...outcome, items, statuses, seen: server.seen });
  } finally {
    server.stop();
  }
}

function withResolvers() {
  const all = {};
  all.promise = new Promise((resolve) => { all.resolve = resolve; });
  return all;
}

function check(expect, { value, error, items, statuses, seen }) {
  if (expect.error) checkError(expect.error, error ?? assert.fail(`no error but ${JSON.stringify(value)}`));
  else if (error) throw error;
  else holds(value ?? null, expect.value ?? null);
  if (expect.items) holds(items, expect.items);
  if (expect.statuses) assert.deepEqual(statuses, expect.statuses);
  if (!expect.requests) return;
  assert.equal(seen.length, expect.requests.length, JSON.stringify(seen));
  expect.requests.forEach((wanted, index) => checkRequest(wanted, seen[index]));
}

function checkError({ class: name, code, message, status, body }, error) {
  assert.deepEqual([error.name, error.code], [name, code], error.stack);
  assert.notEqual(error.message, '');
  if (message !== undefined) assert.equal(error.message, message);
  if (status !== undefined) assert.equal(error.details.status, status);
  if (body !== undefined) assert.deepEqual(error.details.body, body);
}

function checkRequest({ method, path, query = {}, headers = {}, hasHeader, lacksHeaders = [], json }, seen) {
  if (method) assert.equal(seen.method, method);
  if (path) assert.equal(seen.path, path);
  for (const [name, text] of Object.entries(query)) assert.equal(seen.query[name], text, name);
  for (const [name, text] of Object.entries(headers)) assert.equal(seen.headers[name.toLowerCase()], text, name);
  if (hasHeader) assert.ok(hasHeader.toLowerCase() in seen.headers, hasHeader);
  for (const name of lacksHeaders) assert.ok(!(name in seen.headers), name);
  if (json !== undefined) assert.deepEqual(JSON.parse(seen.body), json);
}

/** Every field that is named must have the value that is named; lists have the same length. */
function holds(value, expected, at = 'it') {
  if (Array.isArray(expected)) {
    assert.equal(value?.length, expected.length, `${at}: ${JSON.stringify(value)}`);
    expected.forEach((item, index) => holds(value[index], item, `${at}[${index}]`));
  } else if (expected !== null && typeof expected === 'object') {
    for (const [name, field] of Object.entries(expected)) holds(value?.[name], field, `${at}.${name}`);
  } else {
    assert.deepEqual(value ?? null, expected, at);
  }
}
