import type { CallOptions, Client } from './client.js';
import { open } from './lines.js';
import { read, type Answer, type Ask } from './request.js';
import type { Shape } from './shape.js';

/** Reads each line as JSON of a shape, the moment it comes; the last needs no line break. */
export async function* readLines<T>(
  client: Client,
  ask: Ask,
  shape: Shape,
  options: CallOptions,
): AsyncGenerator<Answer & { value: T }, void> {
  const { response, pieces } = await open(client, ask, options);
  for await (const lines of pieces(options.timeout ?? client.timeout)) {
    for (const text of lines) {
      if (text.trim()) yield { value: read<T>({ response, text }, shape), response, text };
    }
  }
}
