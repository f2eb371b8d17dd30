// @ts-check

import { lookup } from "./openapi.js";

/** @typedef {import("../types/openapi.d.ts").OpenApi} OpenApi */
/** @typedef {import("../types/openapi.d.ts").Schema} Schema */

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {boolean} required
 * @property {Schema} schema
 */

/**
 * The schema behind a reference with the name it goes by; words beside the reference win over the target's.
 * A reference that leads nowhere, or only to itself, is an empty schema.
 *
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @returns {{ schema: Schema, name: string }}
 */
export function resolve(doc, schema) {
  const seen = new Set();
  let name = "";
  let node = schema;
  while (node.$ref !== undefined) {
    if (seen.has(node.$ref)) return { schema: {}, name };
    seen.add(node.$ref);
    name ||= node.$ref.slice(node.$ref.lastIndexOf("/") + 1);
    const { $ref, ...beside } = node;
    const target = /** @type {Schema | undefined} */ (lookup(doc, $ref));
    if (typeof target !== "object" || target === null) return { schema: beside, name };
    node = { ...target, ...beside };
  }
  return { schema: node, name };
}

/**
 * The types of a schema as a list, `null` left out.
 *
 * @param {Schema} schema
 */
export function types(schema) {
  const list = schema.type === undefined ? [] : [schema.type].flat();
  if (list.length === 0 && schema.properties) list.push("object");
  return list.filter((type) => type !== "null");
}

/**
 * True for the schema that admits nothing but null.
 *
 * @param {Schema} schema
 */
export function isNull(schema) {
  return schema.type === "null" || schema.const === null;
}

/**
 * The alternatives of `oneOf` or `anyOf` without null.
 *
 * @param {Schema} schema
 * @returns {Schema[]}
 */
export function variants(schema) {
  return (schema.oneOf ?? schema.anyOf ?? []).filter((variant) => !isNull(variant));
}

/**
 * @param {Schema} schema
 */
export function nullable(schema) {
  return (
    [schema.type].flat().includes("null") || (schema.oneOf ?? schema.anyOf ?? []).some((variant) => isNull(variant))
  );
}

/**
 * What stands in the type column: `string`, `Token[]`, `integer | null`.
 *
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @param {number} [depth] arrays of arrays stop somewhere
 * @returns {string}
 */
export function typeLabel(doc, schema, depth = 0) {
  const { schema: target, name } = resolve(doc, schema);
  const suffix = nullable(target) ? " | null" : "";
  const choices = variants(target);
  if (choices.length > 0 && depth < 4) {
    const labels = choices.map((choice) => typeLabel(doc, choice, depth + 1));
    if (choices.length === 1 || !name) return [...new Set(labels)].join(" | ") + suffix;
  }
  if (types(target).includes("array")) {
    const items = typeof target.items === "object" ? target.items : {};
    const label = depth < 4 ? typeLabel(doc, items, depth + 1) : "…";
    return (label.includes(" | ") ? `(${label})[]` : `${label}[]`) + suffix;
  }
  if (name && !isScalar(target)) return readable(name) + suffix;
  return (types(target).join(" | ") || "any") + suffix;
}

/**
 * A generic type's name as programmers write it: `Page_Token` is `Page<Token>`.
 *
 * @param {string} name
 */
export function readable(name) {
  return name.replace(/^([^_]+)_(.+)$/, "$1<$2>");
}

/** @param {Schema} schema */
function isScalar(schema) {
  const list = types(schema);
  return list.length > 0 && list.every((type) => type !== "object" && type !== "array");
}

/**
 * The limits of a value in words.
 *
 * @param {Schema} schema
 * @returns {string[]}
 */
export function constraints(schema) {
  const out = [];
  if (schema.const !== undefined) out.push(`always ${show(schema.const)}`);
  out.push(range(schema.minimum, schema.maximum, ""));
  if (schema.exclusiveMinimum !== undefined) out.push(`above ${schema.exclusiveMinimum}`);
  if (schema.exclusiveMaximum !== undefined) out.push(`below ${schema.exclusiveMaximum}`);
  if (schema.multipleOf !== undefined) out.push(`a multiple of ${schema.multipleOf}`);
  out.push(range(schema.minLength, schema.maxLength, " characters"));
  out.push(range(schema.minItems, schema.maxItems, " items"));
  if (schema.pattern !== undefined) out.push(`matches ${schema.pattern}`);
  if (schema.default !== undefined && schema.default !== null) out.push(`default ${show(schema.default)}`);
  return out.filter((text) => text !== "");
}

/** @param {unknown} value */
function show(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 * @param {string} unit
 */
function range(least, most, unit) {
  if (least !== undefined && most !== undefined) {
    return least === most ? `exactly ${least}${unit}` : `${least} to ${most}${unit}`;
  }
  // Zero alone says no more than "unsigned", and stands on every count and id.
  if (least !== undefined) return least === 0 ? "" : `at least ${least}${unit}`;
  return most !== undefined ? `at most ${most}${unit}` : "";
}

/**
 * The object or the only alternative that a value's inner fields come from, through arrays and null.
 *
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @returns {{ schema: Schema, name: string }}
 */
export function inner(doc, schema) {
  let found = resolve(doc, schema);
  for (let depth = 0; depth < 8; depth += 1) {
    const choices = variants(found.schema);
    const items = found.schema.items;
    if (choices.length === 1 && choices[0]) found = resolve(doc, choices[0]);
    else if (types(found.schema).includes("array") && typeof items === "object") found = resolve(doc, items);
    else break;
  }
  return found;
}

/**
 * The fields of an object, those of `allOf` parts included.
 *
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @returns {Field[]}
 */
export function fields(doc, schema) {
  /** @type {Map<string, Field>} */
  const found = new Map();
  gather(doc, schema, found, new Set());
  return [...found.values()];
}

/**
 * @param {OpenApi} doc
 * @param {Schema} schema
 * @param {Map<string, Field>} found
 * @param {Set<object>} seen
 */
function gather(doc, schema, found, seen) {
  const { schema: target } = resolve(doc, schema);
  // Objects in `properties` are shared with the document, so they tell a cycle of `allOf` parts apart.
  const mark = target.properties ?? target.allOf ?? target;
  if (seen.has(mark)) return;
  seen.add(mark);
  for (const part of target.allOf ?? []) gather(doc, part, found, seen);
  const required = new Set(target.required ?? []);
  for (const [name, property] of Object.entries(target.properties ?? {})) {
    found.set(name, { name, required: required.has(name), schema: property });
  }
  if (typeof target.additionalProperties === "object") {
    found.set("[key]", { name: "[key]", required: false, schema: target.additionalProperties });
  }
}
