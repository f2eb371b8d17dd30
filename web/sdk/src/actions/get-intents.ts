import type { CallOptions, Client } from '../client.js';
import * as shapes from '../generated/shapes.js';
import type { Page_IntentSummary } from '../generated/types.js';
import { json } from '../request.js';
import { url } from '../url.js';

/** Which of an author's intents, and which page of them. */
export interface IntentQuery {
  fromChainId?: number | undefined;
  toChainId?: number | undefined;
  /** 20 unless told, at most 100. */
  limit?: number | undefined;
  /** The `cursor` of the page before. */
  cursor?: number | null | undefined;
}

/** A page of an author's intents, newest first. */
export function getIntents(
  client: Client,
  author: string,
  query: IntentQuery = {},
  options?: CallOptions,
): Promise<Page_IntentSummary> {
  const { fromChainId, toChainId, limit, cursor } = query;
  return json(client, { url: url(client.baseUrl, ['v1', 'intents', author], { fromChainId, toChainId, limit, cursor }) }, shapes.Page_IntentSummary, options);
}
