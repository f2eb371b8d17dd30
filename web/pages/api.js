// @ts-check

/**
 * The JSON that a path of this service answers; an error carries the service's own words.
 *
 * @template T
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function getJson(path, signal) {
  const response = await fetch(path, { signal, headers: { accept: "application/json" } });
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Error(body?.message ?? `the service answered ${response.status}`);
  return body;
}

/** @param {unknown} error */
export function words(error) {
  return error instanceof Error ? error.message : String(error);
}
