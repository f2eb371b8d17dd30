import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, assertFits, choose, delivered, ready, visit } from './browser.js';
import { BASE } from './wallets.js';
import { passes } from '../../../tests/passes.js';

const SMALL = { viewport: { width: 320, height: 640 } };

test('one tag with the service\'s script is enough on another origin', async () => {
  await visit('/tag', async (page) => {
    await ready(page);
    await page.locator('#amount-from').fill('5');
    await page.getByRole('radio').first().waitFor();
  });
});

test('the service\'s own page has the widget, under its own policy', async () => {
  await visit(`${BASE}/swap`, async (page) => {
    await ready(page);
    await assertFits(page);
    await assertAccessible(page);
  }, { viewport: { width: 1280, height: 900 } });
});

test('the module works like the script', async () => {
  await visit('/module', async (page) => ready(page));
});

test('two widgets on one page do not mix', async () => {
  await visit('/two', async (page) => {
    await ready(page);
    const [first, second] = [page.locator('causeway-widget').first(), page.locator('#second')];
    await first.locator('#amount-from').fill('7');
    await second.locator('#fiat-amount').fill('50');
    await first.getByRole('radio').first().waitFor();
    await second.getByRole('radio').first().waitFor();
    await passes(async () => assert.equal(await first.locator('#amount-from').inputValue(), '7'));
    await passes(async () => assert.equal(await second.getByRole('button', { name: 'Swap', exact: true }).count(), 0));
  }, { viewport: { width: 500, height: 1600 } });
});

test('tokens in any form are read, and the coin by its other address', async () => {
  await visit('/tokens', async (page) => {
    await ready(page);
    await passes(async () => assert.match(await page.locator('#token-from').getAttribute('aria-label'), /ETH on Arbitrum One/));
    await passes(async () => assert.match(await page.locator('#token-to').getAttribute('aria-label'), /SOL on Solana/));
    await page.getByRole('radio').first().waitFor();
  });
});

test('Arabic runs from right to left, and nothing is cut at 320 pixels', async () => {
  await visit('/arabic', async (page) => {
    await page.getByRole('button', { name: 'شراء' }).waitFor();
    await passes(async () => assert.equal(await page.locator('causeway-widget').getAttribute('dir'), 'rtl'));
    await page.locator('#amount-from').fill('1234.56');
    await page.getByRole('radio').first().waitFor();
    await assertFits(page);
    await assertAccessible(page);
    const [label, token] = await Promise.all([page.locator('.panel-label').first().boundingBox(), page.locator('#token-from').boundingBox()]);
    assert.ok(label.x + label.width > token.x + token.width, 'the token stands on the left');
  }, SMALL);
});

test('a language of the host is used with its own numbers', async () => {
  await visit('/german', async (page) => {
    await page.getByText('Du zahlst').waitFor();
    await page.locator('#amount-from').fill('2500,5');
    await page.getByText(/2\.500,\d\d\s\$/).first().waitFor();
  });
});

test('every screen fits 320 pixels and has targets of 44', async () => {
  await visit('/', async (page) => {
    await ready(page);
    await page.locator('#amount-from').fill('1234.567891');
    await page.getByRole('radio').first().waitFor();
    await assertFits(page);
    const amounts = await page.locator('.amount').evaluateAll((boxes) => boxes.map((box) => [box.value, box.scrollWidth - box.clientWidth]));
    assert.deepEqual(amounts.map(([value, cut]) => [value.length > 4, cut]), [[true, 0], [true, 0]], JSON.stringify(amounts));
    await page.locator('#token-to').click();
    await page.getByRole('searchbox').waitFor();
    await assertFits(page);
    await assertAccessible(page);
    for (const target of await page.locator('button:visible').all()) {
      const { width, height } = await target.boundingBox();
      assert.ok(width >= 40 && height >= 40, `${await target.getAttribute('aria-label')} is ${width} by ${height}`);
    }
  }, SMALL);
});

test('an amount that nobody takes is told with the nearest one, which is one press away', async () => {
  await visit('/', async (page) => {
    await ready(page);
    for (const [amount, words] of [['0.01', /The smallest amount is/], ['9000000', /The largest amount is/]]) {
      await page.locator('#amount-from').fill(amount);
      await page.getByText(words).waitFor();
      await page.getByRole('button', { name: /^Use .* USDC/ }).click();
      await page.getByRole('radio').first().waitFor();
    }
  }, { expectErrors: true });
});

test('an address with a mistyped letter is told at its field, before anything is asked', async () => {
  await visit('/', async (page) => {
    await ready(page);
    await page.getByRole('button', { name: 'Transfer', exact: true }).click();
    await page.locator('#amount-from').fill('12.5');
    await page.locator('#recipient').fill('0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    await page.getByText('This is no address on Arbitrum One.').waitFor();
    await page.locator('#recipient[aria-invalid="true"]').waitFor();
    await page.locator('#recipient').fill('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    await page.locator('#recipient[aria-invalid="false"]').waitFor();
  });
});

test('a sentence fills the form', async () => {
  await visit('/', async (page) => {
    await ready(page);
    await page.locator('#token-from').click();
    await page.getByRole('searchbox').fill('100 usdc on base to eth');
    await page.getByRole('button', { name: 'Swap 100 USDC on Base for ETH on Ethereum' }).click();
    await passes(async () => assert.equal(await page.locator('#amount-from').inputValue(), '100'));
    await passes(async () => assert.match(await page.locator('#token-to').getAttribute('aria-label'), /ETH on Ethereum/));
  });
});

test('keys alone choose a token and a route, and the focus stays where the person is', async () => {
  await visit('/', async (page) => {
    await ready(page);
    const focused = () => page.evaluate(() => document.querySelector('causeway-widget').shadowRoot.activeElement?.id);
    await page.locator('#token-from').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.type('weth');
    await page.locator('.item', { hasText: 'WETH' }).first().waitFor();
    while (!(await page.evaluate(() => document.querySelector('causeway-widget').shadowRoot.activeElement?.classList.contains('item')))) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#amount-from').waitFor();
    await passes(async () => assert.equal(await focused(), 'token-from'));
    await page.keyboard.press('Shift+Tab');
    await passes(async () => assert.equal(await focused(), 'amount-from'));
    await page.keyboard.type('0.5');
    await page.getByRole('radio').first().waitFor();
    await page.getByRole('radio').first().focus();
    await page.keyboard.press('ArrowDown');
    await passes(async () => assert.equal(await page.getByRole('radio', { checked: true }).count(), 1));
  });
});

test('Escape clears a search, then leaves the choice, and the focus is back where it was', async () => {
  await visit('/', async (page) => {
    await ready(page);
    await page.locator('#token-to').click();
    await page.getByRole('searchbox').fill('weth');
    await page.keyboard.press('Escape');
    await passes(async () => assert.equal(await page.getByRole('searchbox').inputValue(), ''));
    await page.keyboard.press('Escape');
    await page.locator('#amount-from').waitFor();
    await passes(async () => assert.equal(await page.evaluate(() => document.querySelector('causeway-widget').shadowRoot.activeElement?.id), 'token-to'));
    await page.locator('#open-wallets').click();
    await page.locator('.wallet-list').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#amount-from').waitFor();
  });
});

test('keys alone swap to the end, from right to left and at 320 pixels', async () => {
  await visit('/arabic', async (page) => {
    const isFocused = (selector) => page.evaluate((wanted) => document.querySelector('causeway-widget').shadowRoot.activeElement?.matches(wanted), selector);
    /** Goes on by Tab, as a person does who sees where the focus is. */
    const press = async (selector) => {
      await page.locator(selector).first().waitFor();
      for (let steps = 0; !(await isFocused(selector)); steps += 1) {
        assert.ok(steps < 60, `${selector} cannot be reached`);
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
    };
    await page.locator('#open-wallets').waitFor();
    await press('#open-wallets');
    await press('.wallet-list button');
    await page.locator('#amount-from').waitFor();
    for (let steps = 0; !(await isFocused('#amount-from')); steps += 1) {
      assert.ok(steps < 60, 'the amount cannot be reached');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('5');
    await page.locator('#go:enabled').waitFor();
    await press('#go:enabled');
    await press('#confirm:enabled');
    await delivered(page);
    await assertFits(page);
    await assertAccessible(page);
  }, SMALL);
});

test('a token that only looks like a well-known one is asked about', async () => {
  await visit('/', async (page) => {
    await ready(page);
    await page.locator('#token-to').click();
    await page.getByRole('searchbox').fill('usdc');
    await page.locator('.item').first().click();
    await page.getByText(/is not the well-known token of that name/).waitFor();
    await page.getByRole('button', { name: 'Use it anyway' }).click();
    await page.locator('#amount-from').waitFor();
  }, {
    prepare: (page) => page.route(`${BASE}/v1/tokens/search**`, async (route) => {
      const response = await route.fetch();
      const { data } = await response.json();
      await route.fulfill({ response, json: { data: [{ ...data[0], symbol: 'USDС', address: '0x00000000000000000000000000000000000F4ce5' }] } });
    }),
  });
});

test('the widget is drawn in the first frame after it is added', async () => {
  await visit('/', async (page) => {
    await page.locator('causeway-widget').locator('.card').waitFor();
    const isDrawn = await page.evaluate(async () => {
      const added = document.body.appendChild(document.createElement('causeway-widget'));
      await new Promise(requestAnimationFrame);
      return added.shadowRoot.querySelector('.card') !== null;
    });
    assert.ok(isDrawn);
  }, { expectErrors: true });
});
