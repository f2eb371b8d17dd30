// @ts-check

/** @typedef {import("../types/openapi.d.ts").Operation} Operation */
/** @typedef {import("../types/openapi.d.ts").Parameter} Parameter */

/**
 * @typedef {object} Request
 * @property {string} method
 * @property {string} url
 * @property {Record<string, string>} headers
 * @property {string | null} body
 */

/**
 * The key of a parameter among the typed values: two parameters may share a name in different places.
 *
 * @param {Parameter} parameter
 */
export function key(parameter) {
  return `${parameter.in}.${parameter.name}`;
}

/**
 * The request that the typed values make. Empty values are left out, except in the path.
 *
 * @param {string} base
 * @param {Operation} op
 * @param {Record<string, string>} values
 * @param {string | null} body
 * @returns {Request}
 */
export function buildRequest(base, op, values, body) {
  let path = op.path;
  /** @type {string[]} */
  const query = [];
  /** @type {Record<string, string>} */
  const headers = {};
  for (const parameter of op.parameters) {
    const value = values[key(parameter)] ?? "";
    if (parameter.in === "path") {
      path = path.replace(`{${parameter.name}}`, value === "" ? `{${parameter.name}}` : encodeURIComponent(value));
    } else if (value !== "" && parameter.in === "query") {
      query.push(...pairs(parameter, value));
    } else if (value !== "" && parameter.in === "header") {
      headers[parameter.name] = value;
    }
  }
  const sent = op.body && body !== null && body.trim() !== "" ? body : null;
  if (op.body && sent !== null) headers["content-type"] = op.body.type;
  const url = base.replace(/\/+$/, "") + path + (query.length > 0 ? `?${query.join("&")}` : "");
  return { method: op.method.toUpperCase(), url, headers, body: sent };
}

/**
 * @param {Parameter} parameter
 * @param {string} value
 */
function pairs(parameter, value) {
  const name = encodeURIComponent(parameter.name);
  if (![parameter.schema?.type].flat().includes("array")) return [`${name}=${encodeURIComponent(value)}`];
  const parts = value.split(",").map((part) => encodeURIComponent(part.trim()));
  return parameter.explode === false ? [`${name}=${parts.join(",")}`] : parts.map((part) => `${name}=${part}`);
}

/**
 * The request as a curl command for a POSIX shell.
 *
 * @param {Request} request
 */
export function curl(request) {
  const parts = [`curl ${implied(request) ? "" : `-X ${request.method} `}${quote(request.url)}`];
  for (const [name, value] of Object.entries(request.headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (request.body !== null) parts.push(`-d ${quote(request.body)}`);
  return parts.join(" \\\n  ");
}

/**
 * Whether the method is curl's default.
 *
 * @param {Request} request
 */
function implied(request) {
  return request.method === (request.body === null ? "GET" : "POST");
}

/**
 * Quotes a text as one shell argument.
 *
 * @param {string} text
 */
export function quote(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
