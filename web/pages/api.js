// @ts-check

/**
 * Fetches JSON from a path of this service. Errors have the service's message.
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
