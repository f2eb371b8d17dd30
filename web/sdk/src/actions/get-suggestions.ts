import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Data_Suggestion, Suggestion } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Returns example inputs for `autocomplete`. */
export async function getSuggestions(client: Client, options?: CallOptions): Promise<Suggestion[]> {
  const request = { url: url(client.baseUrl, ['v1', 'tokens', 'autocomplete', 'suggestions']) };
  return (await json<Data_Suggestion>(client, request, shapes.Data_Suggestion, options)).data;
}
