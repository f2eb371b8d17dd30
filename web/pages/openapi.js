// @ts-check

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Operation} Operation */
/** @typedef {import("../types/openapi.d.ts").Parameter} Parameter */
/** @typedef {import("../types/openapi.d.ts").RawOperation} RawOperation */
/** @typedef {import("../types/openapi.d.ts").Ref} Ref */

/** @type {import("../types/openapi.d.ts").Method[]} */
const METHODS = ["get", "post", "put", "patch", "delete", "head", "options"];

/**
 * What a `#/…` pointer names in the document, or undefined.
 *
 * @param {OpenApi} doc
 * @param {string} pointer
 * @returns {unknown}
 */
export function lookup(doc, pointer) {
  if (!pointer.startsWith("#/")) return undefined;
  /** @type {unknown} */
  let node = doc;
  for (const part of pointer.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = /** @type {Record<string, unknown>} */ (node)[key];
  }
  return node;
}

/**
 * Follows a reference to a shared parameter or response, as far as it goes.
 *
 * @template {object} T
 * @param {OpenApi} doc
 * @param {T | Ref} value
 * @returns {T | null}
 */
export function follow(doc, value) {
  const seen = new Set();
  let node = value;
  while ("$ref" in node && typeof node.$ref === "string") {
    if (seen.has(node.$ref)) return null;
    seen.add(node.$ref);
    const next = lookup(doc, node.$ref);
    if (typeof next !== "object" || next === null) return null;
    node = /** @type {T | Ref} */ (next);
  }
  return /** @type {T} */ (node);
}

/**
 * Every operation of the document, in the order of its paths.
 *
 * @param {OpenApi} doc
 * @returns {Operation[]}
 */
export function operations(doc) {
  const list = [];
  for (const [path, item] of Object.entries(doc.paths)) {
    for (const method of METHODS) {
      const raw = item[method];
      if (raw) list.push(flatten(doc, path, method, raw, item.parameters ?? []));
    }
  }
  return list;
}

/**
 * @param {OpenApi} doc
 * @param {string} path
 * @param {import("../types/openapi.d.ts").Method} method
 * @param {RawOperation} raw
 * @param {(Parameter | Ref)[]} shared parameters that stand on the path itself
 * @returns {Operation}
 */
function flatten(doc, path, method, raw, shared) {
  /** @type {Map<string, Parameter>} */
  const parameters = new Map();
  for (const entry of [...shared, ...(raw.parameters ?? [])]) {
    const parameter = follow(doc, entry);
    if (parameter) parameters.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  for (const parameter of keys(doc, raw)) parameters.set(`header ${parameter.name}`, parameter);
  const [type, media] = Object.entries(raw.requestBody?.content ?? {})[0] ?? [];
  const [summary, description] = words(raw);
  return {
    id: raw.operationId ?? slug(`${method} ${path}`),
    method,
    path,
    tag: raw.tags?.[0] ?? "other",
    summary,
    description,
    deprecated: raw.deprecated ?? false,
    parameters: [...parameters.values()],
    body:
      raw.requestBody && type && media
        ? {
            description: raw.requestBody.description ?? "",
            required: raw.requestBody.required ?? false,
            type,
            media,
          }
        : null,
    responses: Object.entries(raw.responses ?? {}).flatMap(([status, entry]) => {
      const response = follow(doc, entry);
      return response ? [{ status, response }] : [];
    }),
  };
}

/**
 * The headers that the operation's security schemes ask for, as optional parameters.
 *
 * @param {OpenApi} doc
 * @param {RawOperation} raw
 * @returns {Parameter[]}
 */
function keys(doc, raw) {
  const names = (raw.security ?? doc.security ?? []).flatMap((entry) => Object.keys(entry));
  return [...new Set(names)].flatMap((name) => {
    const scheme = doc.components?.securitySchemes?.[name];
    if (!scheme) return [];
    const description = scheme.description ?? "Needed where the operator has set API keys.";
    const schema = { type: "string" };
    if (scheme.type === "apiKey" && scheme.in === "header" && scheme.name) {
      return [{ name: scheme.name, in: /** @type {const} */ ("header"), description, schema }];
    }
    if (scheme.type === "http" && scheme.scheme?.toLowerCase() === "bearer") {
      const example = "Bearer YOUR_KEY";
      return [{ name: "Authorization", in: /** @type {const} */ ("header"), description, schema, example }];
    }
    return [];
  });
}

/**
 * A title and the rest. Without a summary the description's first sentence is the title.
 *
 * @param {RawOperation} raw
 * @returns {[string, string]}
 */
function words(raw) {
  const description = (raw.description ?? "").trim();
  if (raw.summary) {
    const summary = raw.summary.trim();
    return [summary.replace(/\.$/, ""), description === summary ? "" : description];
  }
  const [first = "", ...rest] = description.split("\n\n");
  return [first.replaceAll("\n", " ").replace(/\.$/, ""), rest.join("\n\n")];
}

/** @param {string} text */
export function slug(text) {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/**
 * A tag as a heading: "tokens" is "Tokens", and one as short as "qr" is an abbreviation.
 *
 * @param {string} tag
 */
export function title(tag) {
  return tag.length <= 3 ? tag.toUpperCase() : tag.charAt(0).toUpperCase() + tag.slice(1);
}

/**
 * Operations by tag: the document's own order of tags first, then the order of appearance.
 *
 * @param {OpenApi} doc
 * @param {Operation[]} list
 */
export function groups(doc, list) {
  const described = doc.tags ?? [];
  const names = [...new Set([...described.map((tag) => tag.name), ...list.map((op) => op.tag)])];
  return names
    .map((name) => ({
      name,
      description: described.find((tag) => tag.name === name)?.description ?? "",
      operations: list.filter((op) => op.tag === name),
    }))
    .filter((group) => group.operations.length > 0);
}

/**
 * True when every word of the query occurs somewhere in the operation.
 *
 * @param {Operation} op
 * @param {string} query
 */
export function matches(op, query) {
  const parameters = op.parameters.map((parameter) => parameter.name);
  const text = [op.method, op.path, op.id, op.tag, op.summary, op.description, ...parameters].join(" ").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
