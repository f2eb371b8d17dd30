import type { Eip1193Provider } from '@causeway/sdk';
import type { Account, WalletChoice } from './account.js';

/** A provider that may tell of changes, as EIP-1193 allows. */
export interface Provider extends Eip1193Provider {
  on?(event: string, listener: (value: any) => void): unknown;
  removeListener?(event: string, listener: (value: any) => void): unknown;
}

interface Announcement {
  info: { uuid: string; name: string; icon: string; rdns: string };
  provider: Provider;
}

/** Listens for wallets that announce themselves by EIP-6963; call what it returns to stop. */
export function discoverInjected(found: (choice: WalletChoice) => void): () => void {
  const seen = new Set<string>();
  const hear = (event: Event) => {
    const { info, provider } = Object((event as CustomEvent<Announcement>).detail) as Announcement;
    if (!info || !provider || seen.has(info.rdns)) return;
    seen.add(info.rdns);
    // A picture that is not inside the announcement would be a request to somebody else.
    const icon = /^data:image\//.test(info.icon) ? info.icon : undefined;
    found(choiceOf(`evm:${info.rdns}`, info.name, provider, icon));
  };
  window.addEventListener('eip6963:announceProvider', hear);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  return () => window.removeEventListener('eip6963:announceProvider', hear);
}

/** A provider as a choice. */
export function choiceOf(id: string, name: string, provider: Provider, icon?: string): WalletChoice {
  return {
    id, name, icon, family: 'eip155',
    async connect(silent) {
      const accounts = (await provider.request({ method: silent ? 'eth_accounts' : 'eth_requestAccounts' })) as string[];
      return accounts[0] === undefined ? undefined : accountOf(name, provider, accounts[0], icon);
    },
  };
}

export function accountOf(name: string, provider: Provider, address: string, icon?: string): Account {
  return {
    family: 'eip155', address, name, icon, wallet: provider,
    watch(listener) {
      const hear = (accounts: string[]) => listener(accounts[0]);
      provider.on?.('accountsChanged', hear);
      return () => void provider.removeListener?.('accountsChanged', hear);
    },
  };
}
