import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Filler } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Returns the fillers that offer routes, with their statistics. */
export function getFillers(client: Client, options?: CallOptions): Promise<Filler[]> {
  return json(client, { url: url(client.baseUrl, ['v1', 'fillers']) }, [shapes.Filler], options);
}
