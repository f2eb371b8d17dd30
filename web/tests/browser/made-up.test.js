// @ts-check

import assert from "node:assert/strict";
import { test } from "node:test";
import { BASE, visit } from "./browser.js";
import { passes } from "../passes.js";

/** @typedef {import("playwright-core").Page} Page */

const NODE = { "application/json": { schema: { $ref: "#/components/schemas/Node" } } };

/** A document with features that the API may not have: bodies, streams, recursive types, and malicious text. */
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "Made up", version: "9.9.9", description: "<img src=x onerror=alert(1)> [x](javascript:alert)" },
  tags: [{ name: "things" }],
  paths: {
    "/v1/made-up/{id}": {
      put: {
        operationId: "write_thing",
        tags: ["things"],
        summary: "Write a <b>thing</b>",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" }, example: "a/b" }],
        requestBody: { required: true, content: NODE },
        responses: { 200: { description: "Written", content: NODE } },
      },
    },
    "/v1/made-up": {
      post: {
        operationId: "stream_things",
        tags: ["things"],
        summary: "Stream things",
        requestBody: { content: { "application/json": { example: { n: 2 } } } },
        responses: { 200: { description: "Lines" } },
      },
    },
  },
  components: {
    schemas: {
      Node: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", example: "</script><script>alert(1)</script>" },
          child: { oneOf: [{ type: "null" }, { $ref: "#/components/schemas/Node" }] },
        },
      },
    },
  },
};

/** @param {Page} page */
async function prepare(page) {
  page.on("dialog", () => assert.fail("a script of the document ran"));
  await page.route("**/openapi.json", (route) => route.fulfill({ json: DOCUMENT }));
  await page.route("**/v1/made-up/*", (route) =>
    route.fulfill({
      headers: { "x-request-id": "made-up-1" },
      json: { url: route.request().url(), method: route.request().method(), body: route.request().postDataJSON() },
    }),
  );
  await page.route("**/v1/made-up", (route) =>
    route.fulfill({ contentType: "application/x-ndjson", body: '{"line":1}\n{"line":2}\n' }),
  );
}

test("a PUT is sent with the entered path and body, and its response is shown", async () => {
  await visit(
    "/docs/reference#write_thing",
    {},
    async (page) => {
      const panel = page.locator("#write_thing details.try");
      await panel.locator("summary").click();
      await panel.getByLabel(/^Body/).fill('{"name":"mine"}');
      await panel.getByRole("button", { name: "Send" }).click();
      await panel.getByText("made-up-1").waitFor();
      await passes(async () => {
        const shown = JSON.parse((await panel.locator("pre").textContent()) ?? "");
        assert.deepEqual(shown, { url: `${BASE}/v1/made-up/a%2Fb`, method: "PUT", body: { name: "mine" } });
      });
    },
    prepare,
  );
});

test("a request with a missing required value is not sent", async () => {
  await visit(
    "/docs/reference",
    {},
    async (page) => {
      const panel = page.locator("#write_thing details.try");
      await panel.locator("summary").click();
      await panel.getByLabel(/^id/).fill("");
      await panel.getByRole("button", { name: "Send" }).click();
      await passes(async () => assert.equal(await panel.locator(".answer").textContent(), ""));
      await passes(async () => assert.ok(await panel.getByLabel(/^id/).evaluate((field) => field === document.activeElement)));
    },
    prepare,
  );
});

test("a stream is shown line by line", async () => {
  await visit(
    "/docs/reference",
    {},
    async (page) => {
      const panel = page.locator("#stream_things details.try");
      await panel.locator("summary").click();
      await panel.getByRole("button", { name: "Send" }).click();
      await panel.getByText(/ms · 22 B/).waitFor();
      await passes(async () => assert.equal(await panel.locator("pre").textContent(), '{"line":1}\n{"line":2}\n'));
    },
    prepare,
  );
});

test("text of the document is never rendered as markup", async () => {
  await visit(
    "/docs/reference",
    {},
    async (page) => {
      await page.getByRole("heading", { name: "Write a <b>thing</b>" }).waitFor();
      await passes(async () => assert.equal(await page.locator("main script, #about img, h3 b, a[href^=javascript]").count(), 0));
      await passes(async () => assert.ok(await page.getByText("<img src=x onerror=alert(1)>").isVisible()));
    },
    prepare,
  );
});

test("a recursive type is shown once", async () => {
  await visit(
    "/docs/reference",
    {},
    async (page) => {
      const article = page.locator("#write_thing");
      await article.waitFor();
      await passes(async () => assert.equal(await article.locator("details.inner").count(), 0));
      await passes(async () => assert.equal(await article.getByText("Node | null").first().isVisible(), true));
    },
    prepare,
  );
});

test("a document that cannot be loaded shows an error", async () => {
  await visit(
    "/docs/reference",
    {},
    (page) => page.getByText("The API document could not be read").waitFor(),
    (page) => page.route("**/openapi.json", (route) => route.fulfill({ body: "not JSON", contentType: "application/json" })),
  );
});
