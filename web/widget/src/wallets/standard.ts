import { fromWalletStandard } from '@causeway/sdk/solana';
import type { StandardWalletLike } from '../public.js';
import type { Account, WalletChoice } from './account.js';

interface Connectable extends StandardWalletLike {
  icon?: string;
  chains?: readonly string[];
}
interface Connect {
  connect(input?: { silent?: boolean }): Promise<{ accounts: readonly { address: string }[] }>;
}

/** Listens for Solana wallets by the Wallet Standard; call what it returns to stop. */
export function discoverStandard(found: (choice: WalletChoice) => void): () => void {
  const register = (...wallets: Connectable[]) => {
    for (const wallet of wallets) {
      if (wallet.features['solana:signTransaction']) found(choiceOfStandard(wallet));
    }
    return () => {};
  };
  const api = Object.freeze({ register });
  const hear = (event: Event) => {
    const offer = (event as CustomEvent<unknown>).detail;
    if (typeof offer === 'function') offer(api);
  };
  window.addEventListener('wallet-standard:register-wallet', hear);
  window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }));
  return () => window.removeEventListener('wallet-standard:register-wallet', hear);
}

export function choiceOfStandard(wallet: Connectable): WalletChoice {
  const icon = /^data:image\//.test(wallet.icon ?? '') ? wallet.icon : undefined;
  return {
    id: `solana:${wallet.name}`, family: 'solana', name: wallet.name, icon,
    async connect(silent) {
      const feature = wallet.features['standard:connect'] as Connect | undefined;
      const accounts = feature ? (await feature.connect(silent ? { silent } : undefined)).accounts : wallet.accounts;
      return accounts[0] && accountOfStandard(wallet, accounts[0], icon);
    },
  };
}

function accountOfStandard(wallet: Connectable, account: { address: string }, icon?: string): Account {
  const on = (wallet.features['standard:events'] as { on?(event: string, listener: (change: { accounts?: readonly { address: string }[] }) => void): () => void } | undefined)?.on;
  return {
    family: 'solana', address: account.address, name: wallet.name, icon, wallet: fromWalletStandard(wallet, account),
    watch: (listener) => on?.('change', ({ accounts }) => accounts && listener(accounts[0]?.address)) ?? (() => {}),
  };
}
