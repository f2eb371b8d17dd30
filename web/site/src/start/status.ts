import { getStatus } from '@causeway/sdk';
import { byId, client, span } from '../site.js';

const EVERY = 10_000;

/** Keeps the figures of the running service current. */
export async function startStatus(): Promise<void> {
  const state = byId('state');
  try {
    const status = await getStatus(client);
    const uptime = status.startedAt ? span((Date.now() - Date.parse(status.startedAt)) / 1000) : '–';
    const texts: Record<string, string | undefined> = {
      mode: status.mode, version: status.version, uptime, 'chain-count': status.chains?.toLocaleString('en'),
      'token-count': status.tokens?.toLocaleString('en'), store: status.store,
    };
    for (const [id, text] of Object.entries(texts)) byId(id).textContent = text ?? '–';
    state.className = status.ready ? 'state good' : 'state wait';
    state.textContent = status.ready ? 'Ready' : 'Starting';
  } catch {
    state.className = 'state bad';
    state.textContent = 'Not reached';
  }
  setTimeout(() => void startStatus(), EVERY);
}
