import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Status } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Returns the version and the state of the service. */
export function getStatus(client: Client, options?: CallOptions): Promise<Status> {
  return json(client, { url: url(client.baseUrl, ['status.json']) }, shapes.Status, options);
}
