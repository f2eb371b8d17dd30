// Takes a picture of every page, light and dark, at 375 and 1280 px, and fails where a page is wider than its window there or
// at 320 px:
//   CAUSEWAY_URL=http://127.0.0.1:8080 OPERATOR_TOKEN=$(cat data/operator-token) node scripts/take-pictures.js FOLDER [page…]
// It makes an order that is delivered, one that is refunded and one that waits for its money.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { BASE, call, payByFaucet, SOMEBODY, transferOrder } from "../tests/calls.js";

const [folder, ...chosen] = process.argv.slice(2);
if (!folder) throw new Error("name a folder for the pictures");

/** The order, once it has one of these statuses. */
async function until(orderId, ...statuses) {
  for (const end = Date.now() + 120_000; Date.now() < end; ) {
    const order = await call(`/v1/orders/by-id/${orderId}`);
    if (statuses.includes(order.status) && (order.transactions?.fill || order.transactions?.refund)) return order;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`the order ${orderId} did not end in time`);
}

/** Lets both fillers fail on Arbitrum, or heals them. */
async function fail(failing) {
  for (const { name } of await call("/sandbox/fillers")) await call(`/sandbox/fillers/${name}`, { failing, chainId: 42161 });
}

async function makeOrders() {
  const delivered = await transferOrder("25000000");
  await payByFaucet(delivered.address, "25000000");
  const order = await until(delivered.orderId, "filled");
  await fail(true);
  const refunded = await transferOrder("26000000");
  await payByFaucet(refunded.address, "26000000");
  await until(refunded.orderId, "refunded", "failed").finally(() => fail(false));
  const waiting = await transferOrder("27000000");
  return { order, refunded: refunded.orderId, waiting: waiting.orderId };
}

const isDrawn = (page) => page.waitForFunction(() => !document.querySelector('#app[aria-busy="true"]'));
/** The widget has a price, or what it sells. */
const isPriced = (page) => page.locator("causeway-widget").first().getByRole("radio").first().waitFor();

async function signIn(page) {
  if (!process.env.OPERATOR_TOKEN) throw new Error("set OPERATOR_TOKEN to the operator's token for the page of the operator");
  await page.getByLabel("Operator token").fill(process.env.OPERATOR_TOKEN);
  await page.getByRole("button", { name: "Open" }).click();
  await page.locator("#chains").waitFor();
}

/** What is far below is drawn when it comes near, and fetches its own. */
async function drawAll(page) {
  await page.addStyleTag({ content: "* { content-visibility: visible !important; }" });
  await page.evaluate(async () => {
    for (let at = 0; at < Math.min(document.documentElement.scrollHeight, 12_000); at += 500) {
      scrollTo(0, at);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    scrollTo(0, 0);
  });
}

/** Name, path and what to wait for. */
function pages({ order, refunded, waiting }) {
  const { txHash, chainId } = order.transactions.fill;
  return [
    // It waits for its money for some minutes only.
    ["order-waiting", `/order/${waiting}`, (page) => page.locator(".qr img").waitFor()],
    ["start", "/", isPriced],
    ["swap", "/swap"],
    ["buy", "/buy"],
    ["transfer", "/transfer"],
    ["track", "/track", isDrawn],
    ["track-address", `/track/${SOMEBODY}`, isDrawn],
    ["order-filled", `/order/${order.id}`, (page) => page.getByRole("heading", { name: "Delivered" }).waitFor()],
    ["order-refunded", `/order/${refunded}`, (page) => page.getByRole("heading", { name: "Refunded", exact: true }).waitFor()],
    ["order-unknown", "/order/0123456789abcdef0123456789abcdef", isDrawn],
    ["explorer", "/explorer", (page) => page.locator("#volume").waitFor()],
    ["sandbox", "/sandbox", (page) => page.locator(".chain-table a").first().waitFor()],
    ["sandbox-tx", `/sandbox/tx/${chainId}/${txHash}`, isDrawn],
    ["sandbox-address", `/sandbox/address/8453/${SOMEBODY}`, isDrawn],
    ["sandbox-block", `/sandbox/block/${chainId}/${order.transactions.fill.blockNumber ?? 1}`, isDrawn],
    ["operator-token", "/operator", (page) => page.getByLabel("Operator token").waitFor()],
    ["operator", "/operator", signIn],
    ["docs", "/docs"],
    ["guide", "/docs/quickstart"],
    ["reference", "/docs/reference", (page) => page.getByRole("heading", { name: "A swap in four calls" }).waitFor()],
  ];
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
await mkdir(folder, { recursive: true });
const wide = [];
for (const [name, path, ready] of pages(await makeOrders()).filter(([name]) => chosen.length === 0 || chosen.includes(name))) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of colorScheme === "light" ? [320, 375, 1280] : [375, 1280]) {
      const context = await browser.newContext({ viewport: { width, height: width < 600 ? 812 : 900 }, colorScheme, reducedMotion: "reduce", bypassCSP: true });
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      await page.goto(BASE + path);
      await ready?.(page);
      await drawAll(page);
      await page.waitForLoadState("networkidle", { timeout: 5000 }).catch(() => {});
      const content = await page.evaluate(() => document.documentElement.scrollWidth);
      if (content > width) wide.push(`${path}: ${content} px in ${width} px`);
      if (width !== 320) await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      await context.close();
    }
  }
  console.log(name);
}
await browser.close();
if (wide.length > 0) throw new Error(`wider than their windows:\n${wide.join("\n")}`);
