// Measures a new user's first swap on the start page with the sandbox's wallet, in a fresh profile:
//   CAUSEWAY_URL=http://127.0.0.1:8080 node scripts/measure-first-swap.js [runs]
// Prints the seconds from the beginning of the page's load to each step; both clicks follow at once.
import { chromium } from "playwright-core";

if (!process.env.CAUSEWAY_URL) throw new Error("set CAUSEWAY_URL to the address of a running sandbox, such as http://127.0.0.1:8080");
const runs = Number(process.argv[2] ?? 3);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu"] });
const filled = [];
for (let run = 1; run <= runs; run += 1) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  await page.goto(process.env.CAUSEWAY_URL, { waitUntil: "commit" });
  await page.getByRole("button", { name: "Swap with a sandbox wallet" }).click();
  const clicked = seconds();
  await page.locator("#widget #confirm").click();
  const confirmed = seconds();
  await page.locator("#widget .timeline").waitFor();
  const submitted = seconds();
  await page.locator("#widget .hero.done").waitFor();
  filled.push(Number(seconds()));
  console.log(`run ${run}: first click ${clicked} s, confirmed ${confirmed} s, submitted ${submitted} s, filled ${filled.at(-1)} s`);
  await context.close();
}
await browser.close();
filled.sort((a, b) => a - b);
console.log(`median of ${runs}: ${filled[Math.floor(runs / 2)]} s from page load to filled`);
