import type { CallOptions, Client } from './client.js';
import { openLineStream } from './line-stream.js';
import { parse, type ApiRequest, type TextResponse } from './request.js';
import type { Shape } from './shape.js';

/** Parses each line as JSON of the given shape, as soon as it arrives. The last line needs no line break. */
export async function* readJsonLines<T>(
  client: Client,
  request: ApiRequest,
  shape: Shape,
  options: CallOptions,
): AsyncGenerator<{ value: T; response: TextResponse }, void> {
  const { head, chunks } = await openLineStream(client, request, options);
  for await (const lines of chunks(options.timeout ?? client.timeout)) {
    for (const text of lines) {
      const response = { head, text };
      if (text.trim()) yield { value: parse<T>(response, shape), response };
    }
  }
}
