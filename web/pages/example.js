// @ts-check

import { fields, nullable, resolve, types, variants } from "./schema.js";

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Schema} Schema */
/** @typedef {import("../types/openapi.d.ts").Media} Media */
/** @typedef {import("../types/openapi.d.ts").Parameter} Parameter */

/** @type {Record<string, string>} */
const BY_FORMAT = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  email: "someone@example.org",
  uri: "https://example.org",
  url: "https://example.org",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** Deep enough for every answer of the API, and an end for documents that nest without one. */
const DEEPEST = 12;

/**
 * A value that fits the schema: its own example where it has one, else one made from its type.
 *
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @returns {unknown}
 */
export function example(doc, schema) {
  return build(doc, schema, new Set(), 0);
}

/**
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @param {Set<string>} open the names on the way down, so that a type inside itself ends
 * @param {number} depth
 * @returns {unknown}
 */
function build(doc, schema, open, depth) {
  const { schema: target, name } = resolve(doc, schema);
  const given = stated(target);
  if (given !== undefined) return given;
  if ((name && open.has(name)) || depth > DEEPEST) return undefined;
  const below = name ? new Set(open).add(name) : open;

  for (const choice of variants(target)) {
    const value = build(doc, choice, below, depth + 1);
    if (value !== undefined) return merge(value, object(doc, target, below, depth));
  }
  if (target.allOf || types(target).includes("object")) return object(doc, target, below, depth);
  if (types(target).includes("array")) return array(doc, target, below, depth);
  return scalar(target);
}

/**
 * What the schema itself gives as a value, if anything.
 *
 * @param {Schema} schema
 * @returns {unknown}
 */
function stated(schema) {
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.length) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  return schema.enum?.[0];
}

/**
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @param {Set<string>} open
 * @param {number} depth
 */
function object(doc, schema, open, depth) {
  /** @type {Record<string, unknown>} */
  const out = {};
  for (const field of fields(doc, schema)) {
    const value = build(doc, field.schema, open, depth + 1);
    if (value !== undefined) out[field.name === "[key]" ? "key" : field.name] = value;
    else if (field.required && nullable(resolve(doc, field.schema).schema)) out[field.name] = null;
  }
  return out;
}

/**
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @param {Set<string>} open
 * @param {number} depth
 */
function array(doc, schema, open, depth) {
  const items = schema.prefixItems ?? (typeof schema.items === "object" ? [schema.items] : []);
  return items.map((item) => build(doc, item, open, depth + 1)).filter((value) => value !== undefined);
}

/**
 * @param {Schema} schema
 * @returns {unknown}
 */
function scalar(schema) {
  switch (types(schema)[0]) {
    case "string":
      return BY_FORMAT[schema.format ?? ""] ?? "string";
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return true;
    default:
      return nullable(schema) || schema.type === "null" ? null : undefined;
  }
}

/**
 * @param {unknown} value
 * @param {Record<string, unknown>} rest
 */
function merge(value, rest) {
  const plain = typeof value === "object" && value !== null && !Array.isArray(value);
  return plain ? { ...rest, ...value } : value;
}

/**
 * Every example of a body or an answer, each with its name; made from the schema where none is given.
 *
 * @param {OpenApi} doc
 * @param {Media} media
 * @returns {{ name: string, value: unknown }[]}
 */
export function mediaExamples(doc, media) {
  if (media.example !== undefined) return [{ name: "", value: media.example }];
  const named = Object.entries(media.examples ?? {}).filter(([, entry]) => entry.value !== undefined);
  if (named.length > 0) return named.map(([name, entry]) => ({ name: entry.summary ?? name, value: entry.value }));
  const value = media.schema ? example(doc, media.schema) : undefined;
  return value === undefined ? [] : [{ name: "", value }];
}

/**
 * The example that a parameter states, as it is typed into a field; empty when it states none.
 *
 * @param {OpenApi} doc
 * @param {Parameter} parameter
 */
export function parameterExample(doc, parameter) {
  const [named] = Object.values(parameter.examples ?? {});
  const schema = parameter.schema ? resolve(doc, parameter.schema).schema : {};
  const value = parameter.example ?? named?.value ?? stated(schema);
  if (Array.isArray(value)) return value.join(",");
  return value === undefined || value === null ? "" : String(value);
}
