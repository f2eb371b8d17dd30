import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderToString } from 'react-dom/server';
import { createElement } from 'react';

test('a server can import the widget and render its tag', async () => {
  assert.equal(globalThis.window, undefined);
  const { CausewayWidget } = await import('../../dist/react.mjs');
  assert.equal(renderToString(createElement(CausewayWidget, { id: 'w', apiEndpoint: 'https://swap.example' })), '<causeway-widget id="w"></causeway-widget>');
});
