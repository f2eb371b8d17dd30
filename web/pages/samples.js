// @ts-check

import { curl } from "./request.js";

/** @typedef {import("./request.js").Request} Request */

/** The languages in which a request is shown. */
export const LANGUAGES = /** @type {const} */ (["curl", "TypeScript", "Rust", "Python"]);

/** @typedef {(typeof LANGUAGES)[number]} Language */

/**
 * What a sample needs to know of the operation.
 *
 * @typedef {object} About
 * @property {string} id
 * @property {string} base the address of the service
 * @property {boolean} json whether the answer is a JSON document
 */

/** Functions of the TypeScript SDK that take the body as it is. @type {Record<string, string>} */
const SDK_WITH_BODY = {
  post_quote: "getQuote",
  build_deposit: "buildDeposit",
  submit_deposit: "submitDeposit",
  post_fiat_quote: "getFiatQuote",
  create_fiat_order: "createFiatOrder",
};

/** Functions of the TypeScript SDK that take nothing else than the client. @type {Record<string, string>} */
const SDK_ALONE = {
  get_chains: "getChains",
  get_fillers: "getFillers",
  get_hub_config: "getHubConfig",
  get_status: "getStatus",
  get_suggestions: "getSuggestions",
  get_vaults: "getVaults",
  get_fiat_config: "getFiatConfig",
  get_fiat_providers: "getFiatProviders",
};

/**
 * The request in a language.
 *
 * @param {Language} language
 * @param {Request} request
 * @param {About} about
 */
export function sample(language, request, about) {
  if (language === "TypeScript") return typescript(request, about);
  if (language === "Rust") return about.json ? rustClient(request, about) : rustPlain(request);
  return language === "Python" ? python(request, about) : curl(request);
}

/** JSON as a value, or null where the text is none. @param {string | null} body */
function parsed(body) {
  try {
    return body === null ? null : JSON.parse(body);
  } catch {
    return null;
  }
}

/** @param {string} text */
const quoted = (text) => JSON.stringify(text);

/**
 * All lines but the first moved to the right.
 *
 * @param {string} text
 * @param {number} by
 */
const indented = (text, by) => text.replaceAll("\n", `\n${" ".repeat(by)}`);

/** @param {string} body */
const json = (body) => JSON.stringify(parsed(body), null, 2);

/**
 * @param {Request} request
 * @param {About} about
 */
function typescript(request, about) {
  const { method, url, headers, body } = request;
  const named = body !== null && parsed(body) !== null ? SDK_WITH_BODY[about.id] : SDK_ALONE[about.id];
  if (named && Object.keys(headers).every((name) => name === "content-type")) {
    const rest = body === null ? "" : `, ${json(body)}`;
    return `import { createClient, ${named} } from "@causeway/sdk";

const client = createClient({ baseUrl: ${quoted(about.base)} });
const answer = await ${named}(client${rest});
console.log(answer);`;
  }
  const options = [];
  if (method !== "GET") options.push(`method: ${quoted(method)}`);
  if (Object.keys(headers).length > 0) options.push(`headers: ${indented(JSON.stringify(headers), 2)}`);
  if (body !== null) options.push(parsed(body) === null ? `body: ${quoted(body)}` : `body: JSON.stringify(${indented(json(body), 2)})`);
  const second = options.length > 0 ? `, {\n  ${options.join(",\n  ")},\n}` : "";
  return `const response = await fetch(${quoted(url)}${second});
if (!response.ok) throw new Error(await response.text());
console.log(await response.${about.json ? "json" : "text"}());`;
}

/**
 * @param {Request} request
 * @param {About} about
 */
function rustClient({ method, url, headers, body }, about) {
  const { pathname, searchParams } = new URL(url);
  const prefix = new URL(about.base).pathname.replace(/\/+$/, "");
  const segments = pathname.slice(prefix.length).split("/").filter(Boolean).map((part) => quoted(decodeURIComponent(part)));
  const query = [...searchParams].map(([name, value]) => `(${quoted(name)}, ${quoted(value)}.to_owned())`);
  const extra = Object.entries(headers).filter(([name]) => name !== "content-type");
  const client = extra.length > 0
    ? `Client::builder(${quoted(about.base)})${extra.map(([name, value]) => `\n    .header(${quoted(name)}, ${quoted(value)})`).join("")}\n    .build()?`
    : `Client::new(${quoted(about.base)})?`;
  const given = body !== null && parsed(body) !== null;
  const sent = given ? `\nlet body = serde_json::json!(${json(body)});` : "";
  return `use causeway_client::{Client, Method};

let client = ${client};${sent}
let answer = client
    .call(Method::${method}, &[${segments.join(", ")}], &[${query.join(", ")}], ${given ? "Some(&body)" : "None"})
    .await?;
println!("{answer:#}");`;
}

/** @param {Request} request */
function rustPlain({ method, url, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `\n    .header(${quoted(name)}, ${quoted(value)})`);
  if (body !== null) lines.push(`\n    .body(${quoted(body)})`);
  return `let response = reqwest::Client::new()
    .${method.toLowerCase()}(${quoted(url)})${lines.join("")}
    .send()
    .await?
    .error_for_status()?;
println!("{}", response.text().await?);`;
}

/**
 * @param {Request} request
 * @param {About} about
 */
function python({ method, url, headers, body }, about) {
  const value = parsed(body);
  const options = [];
  if (method !== "GET") options.push(`method=${quoted(method)}`);
  if (Object.keys(headers).length > 0) options.push(`headers=${literal(headers, 0)}`);
  if (body !== null) options.push(value === null ? `data=${quoted(body)}.encode()` : "data=json.dumps(body).encode()");
  const imports = about.json || value !== null ? "import json\n" : "";
  const given = value === null ? "" : `body = ${literal(value, 0)}\n`;
  const rest = options.length > 0 ? `,\n    ${options.map((option) => indented(option, 4)).join(",\n    ")},\n` : "";
  const made = rest ? `Request(\n    ${quoted(url)}${rest})` : `Request(${quoted(url)})`;
  const shown = about.json ? "json.dumps(json.load(response), indent=2)" : "response.read().decode()";
  return `${imports}from urllib.request import Request, urlopen

${given}request = ${made}
with urlopen(request) as response:
    print(${shown})`;
}

/**
 * A JSON value as Python writes it.
 *
 * @param {unknown} value
 * @param {number} depth
 * @returns {string}
 */
function literal(value, depth) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const pad = " ".repeat(4 * (depth + 1));
  const items = Array.isArray(value)
    ? value.map((item) => literal(item, depth + 1))
    : Object.entries(value).map(([name, item]) => `${quoted(name)}: ${literal(item, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return items.length === 0 ? open + close : `${open}\n${items.map((item) => `${pad}${item},`).join("\n")}\n${" ".repeat(4 * depth)}${close}`;
}
