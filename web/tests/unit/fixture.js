// @ts-check

/** @typedef {import("../../types/openapi.d.ts").OpenApi} OpenApi */

/**
 * A minimal document with the given schemas and paths.
 *
 * @param {Partial<OpenApi> & { schemas?: Record<string, import("../../types/openapi.d.ts").Schema> }} [parts]
 * @returns {OpenApi}
 */
export function document(parts = {}) {
  const { schemas, ...rest } = parts;
  return {
    openapi: "3.1.0",
    info: { title: "Test", version: "0.0.0" },
    paths: {},
    ...rest,
    components: { schemas: schemas ?? {}, ...rest.components },
  };
}

/** @param {string} name */
export function ref(name) {
  return { $ref: `#/components/schemas/${name}` };
}
