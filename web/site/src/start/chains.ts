import { getChains } from '@causeway/sdk';
import { html, nothing, render } from 'lit-html';
import { byId, client, failure } from '../site.js';

/** The chains with their pictures. */
export async function startChains(): Promise<void> {
  const list = byId('chain-list');
  try {
    const chains = await getChains(client);
    render(chains.map((chain) => html`<li>
      <img src="/v1/chain/${chain.id}/icon" alt="" width="32" height="32" loading="lazy" />
      <span class="tile-text"><strong>${chain.name}</strong><span>${chain.nativeCurrency?.symbol} · ${chain.id}</span></span>
      ${chain.enabled === false ? html`<span class="tag">off</span>` : nothing}</li>`), list);
  } catch (error) {
    render(html`<li>${failure(error)}</li>`, list);
  }
}
