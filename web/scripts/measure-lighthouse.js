// Measures the start page, an order's page, the documentation and the explorer with Lighthouse, as a phone and as a desk:
//   CAUSEWAY_URL=http://127.0.0.1:8080 LIGHTHOUSE=…/node_modules/.bin/lighthouse node scripts/measure-lighthouse.js [runs] [page…]
// Lighthouse is not among the packages, because it brings two hundred others: npm install --prefix FOLDER lighthouse.
// Prints the medians, and fails where one of them is 95 or less.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { BASE, call, payByFaucet, transferOrder } from "../tests/calls.js";

const LIMIT = 95;
const CATEGORIES = ["performance", "accessibility", "best-practices"];
const METRICS = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift"];
const [, , count = "3", ...chosen] = process.argv;
const runs = Number(count);
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "lighthouse-"));

async function measure(path, form) {
  const file = join(folder, "report.json");
  await run(process.env.LIGHTHOUSE ?? "lighthouse", [
    BASE + path, "--quiet", "--output=json", `--output-path=${file}`, `--only-categories=${CATEGORIES.join(",")}`,
    "--chrome-flags=--headless=new --no-sandbox", ...(form === "desk" ? ["--preset=desktop"] : []),
  ], { env: { CHROME_PATH: "/usr/bin/chromium", ...process.env }, maxBuffer: 1 << 26 });
  const { categories, audits } = JSON.parse(await readFile(file, "utf8"));
  const complaints = Object.values(audits).filter(({ score }) => score !== null && score < 0.9).map(({ id }) => id);
  return { scores: CATEGORIES.map((name) => Math.round(categories[name].score * 100)), metrics: METRICS.map((name) => audits[name].numericValue), complaints };
}

const median = (values) => [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)];

const { orderId, address } = await transferOrder("25000000");
await payByFaucet(address, "25000000");
for (const end = Date.now() + 120_000; (await call(`/v1/orders/by-id/${orderId}`)).status !== "filled"; ) {
  if (Date.now() > end) throw new Error(`the order ${orderId} was not delivered`);
  await new Promise((resolve) => setTimeout(resolve, 500));
}
console.log("| Page | As | Performance | Accessibility | Best practices | First paint, s | Largest paint, s | Blocked, ms | Shift |\n|---|---|---|---|---|---|---|---|---|");
const pages = [["/", "/"], ["/order/{id}", `/order/${orderId}`], ["/docs", "/docs"], ["/docs/reference", "/docs/reference"], ["/explorer", "/explorer"]];
for (const [name, path] of pages.filter(([name]) => chosen.length === 0 || chosen.includes(name))) {
  for (const form of ["phone", "desk"]) {
    const found = [];
    for (let turn = 0; turn < runs; turn += 1) found.push(await measure(path, form));
    const scores = CATEGORIES.map((_, at) => median(found.map(({ scores }) => scores[at])));
    const [first, largest, blocked, shift] = METRICS.map((_, at) => median(found.map(({ metrics }) => metrics[at])));
    console.log(`| \`${name}\` | ${form} | ${scores.join(" | ")} | ${(first / 1000).toFixed(1)} | ${(largest / 1000).toFixed(1)} | ${Math.round(blocked)} | ${shift.toFixed(3)} |`);
    if (process.env.VERBOSE) console.error(name, form, found.at(-1)?.complaints.join(" "));
    if (scores.some((score) => score <= LIMIT)) process.exitCode = 1;
  }
}
await rm(folder, { recursive: true });
