// @ts-check

/** The longest text of a provider's message that is passed on. */
const LONGEST = 200;

/**
 * A field of an unknown value.
 *
 * @param {unknown} value
 * @param {string} name
 * @returns {unknown}
 */
export function field(value, name) {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return /** @type {Record<string, unknown>} */ (value)[name] ?? undefined;
}

/**
 * A text field of an unknown value.
 *
 * @param {unknown} value
 * @param {string} name
 * @returns {string | undefined}
 */
export function text(value, name) {
  const found = field(value, name);
  return typeof found === "string" && found !== "" ? found.slice(0, LONGEST) : undefined;
}
