import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Data_Suggestion, Suggestion } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Sentences to start from. */
export async function getSuggestions(client: Client, options?: CallOptions): Promise<Suggestion[]> {
  const ask = { url: url(client.baseUrl, ['v1', 'tokens', 'autocomplete', 'suggestions']) };
  return (await json<Data_Suggestion>(client, ask, shapes.Data_Suggestion, options)).data;
}
