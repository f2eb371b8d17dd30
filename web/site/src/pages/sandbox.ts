import { getHubConfig } from '@causeway/sdk';
import { html, render, type TemplateResult } from 'lit-html';
import { addressView } from '../sandbox/address-view.js';
import { blockView } from '../sandbox/block-view.js';
import { readFillers } from '../sandbox/fillers.js';
import { Panel } from '../sandbox/panel.js';
import { isSolana, labels } from '../sandbox/parts.js';
import { solanaAddressView, solanaBlockView, solanaTxView } from '../sandbox/solana-view.js';
import { txView } from '../sandbox/tx-view.js';
import { byId, catalog, client, failure } from '../site.js';

const app = byId('app');

/** `/sandbox/tx/{chain}/{hash}`, or `/sandbox/explorer/{chain}/tx/{hash}` as explorers are linked to. */
function place(): { kind: string; chainId: number; what: string } | undefined {
  const [, first, second, third, fourth] = location.pathname.split('/').filter(Boolean).map(decodeURIComponent);
  if (!first || !second || !third) return undefined;
  return first === 'explorer' ? { kind: third, chainId: Number(second), what: fourth ?? '' } : { kind: first, chainId: Number(second), what: third };
}

/** The names of our contracts and accounts. */
async function readLabels(): Promise<void> {
  const [fillers, { contract }] = await Promise.all([readFillers(), getHubConfig(client)]);
  for (const { name, accounts } of fillers) for (const address of accounts) labels.set(address.toLowerCase(), `filler ${name}`);
  const named: [string | undefined, string][] = [[contract?.gateway, 'Settler'], [contract?.intentBook, 'IntentBook'], ...Object.values(contract?.assetReserves ?? {}).map((one): [string, string] => [one, 'Escrow'])];
  for (const [address, name] of named) if (address) labels.set(address.toLowerCase(), name);
}

function viewOf({ kind, chainId, what }: NonNullable<ReturnType<typeof place>>): Promise<TemplateResult> {
  if (!catalog.chains.has(chainId)) return Promise.reject(new Error(`The sandbox has no chain ${chainId}.`));
  const solana = isSolana(chainId);
  if (kind === 'tx') return solana ? solanaTxView(chainId, what) : txView(chainId, what);
  if (kind === 'block') return solana ? solanaBlockView(chainId, what) : blockView(chainId, what);
  return solana ? solanaAddressView(chainId, what) : addressView(chainId, what);
}

async function start(): Promise<void> {
  await catalog.load();
  const wanted = place();
  if (wanted) await readLabels().catch(() => {});
  const view = wanted && (await viewOf(wanted));
  app.textContent = '';
  if (view) render(view, app);
  else new Panel(app).draw();
}

start()
  .catch((error: unknown) => {
    app.textContent = '';
    render(html`<h1>Sandbox</h1>${failure(error)}`, app);
  })
  .finally(() => app.removeAttribute('aria-busy'));
