// @ts-check

import { el } from "./dom.js";
import { coloured, pretty } from "./json-view.js";

/** @typedef {import("./request.js").Request} Request */

/** The response headers to show. */
const HEADERS = ["x-request-id", "content-type", "cache-control", "etag", "x-partial-chains", "retry-after", "allow"];

/**
 * Sends the request and shows the response in `place`; a stream is shown as it arrives.
 *
 * @param {Request} request
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 * @returns {Promise<unknown>} the JSON of an answer that is no error; undefined otherwise
 */
export async function send(request, place, signal) {
  place.replaceChildren(el("p", { class: "muted" }, "Waiting for the answer…"));
  const started = performance.now();
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: request.headers,
      body: request.body,
      signal,
    });
    return await show(response, place, started);
  } catch (error) {
    if (signal.aborted) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    place.replaceChildren(el("p", { class: "bad" }, `No answer came (${why}). Is the service still running?`));
    return undefined;
  }
}

/**
 * @param {Response} response
 * @param {HTMLElement} place
 * @param {number} started
 */
async function show(response, place, started) {
  const kind = response.ok || response.status === 304 ? "good" : "bad";
  const status = el("strong", { class: kind }, `${response.status} ${response.statusText}`.trim());
  const time = el("span", { class: "muted" });
  const code = el("code");
  const body = el("pre", { tabindex: 0, role: "group", "aria-label": "Response body" }, code);
  place.replaceChildren(el("p", { class: "status" }, status, time), headers(response), body);

  const type = response.headers.get("content-type") ?? "";
  const text = type.includes("ndjson") ? await stream(response, code) : await response.text();
  time.textContent = `${Math.round(performance.now() - started)} ms · ${size(text)}`;
  if (type.includes("ndjson")) return undefined;
  if (type.includes("svg")) body.before(picture(text));
  const json = type.includes("json") ? pretty(text) : null;
  code.replaceChildren(...(json === null ? [text] : coloured(json)));
  if (text === "") body.remove();
  return response.ok && json !== null ? JSON.parse(json) : undefined;
}

/**
 * @param {Response} response
 */
function headers(response) {
  const list = el("dl", { class: "headers" });
  for (const name of HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) list.append(el("dt", {}, name), el("dd", {}, value));
  }
  return list;
}

/**
 * @param {Response} response
 * @param {HTMLElement} code
 */
async function stream(response, code) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return text;
    text += part.value;
    code.append(part.value);
  }
}

/**
 * The image as a data URL: an image element does not execute scripts of an SVG.
 *
 * @param {string} svg
 */
function picture(svg) {
  return el("img", { class: "picture", alt: "The image that came back", src: `data:image/svg+xml,${encodeURIComponent(svg)}` });
}

/** @param {string} text */
function size(text) {
  const bytes = new TextEncoder().encode(text).length;
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(1)} kB`;
}
