import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Page_IntentSummary } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Filters and pagination of {@link getIntents}. */
export interface IntentQuery {
  /** Only intents with this origin chain. */
  fromChainId?: number | undefined;
  /** Only intents with this destination chain. */
  toChainId?: number | undefined;
  /** Defaults to 20. At most 100. */
  limit?: number | undefined;
  /** The `cursor` of the previous page. */
  cursor?: number | null | undefined;
}

/** Returns a page of an author's intents, newest first. */
export function getIntents(
  client: Client,
  author: string,
  query: IntentQuery = {},
  options?: CallOptions,
): Promise<Page_IntentSummary> {
  const { fromChainId, toChainId, limit, cursor } = query;
  return json(client, { url: url(client.baseUrl, ['v1', 'intents', author], { fromChainId, toChainId, limit, cursor }) }, shapes.Page_IntentSummary, options);
}
