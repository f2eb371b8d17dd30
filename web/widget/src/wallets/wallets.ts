import { fromSigner } from '@causeway/sdk/solana';
import { loadChunk } from '../chunks.js';
import type { HostWallet } from '../public.js';
import type { Account, Family, WalletChoice } from './account.js';
import { hostChoices } from './host.js';
import { accountOf, discoverInjected } from './injected.js';
import { discoverStandard } from './standard.js';
import type { TestWalletModule } from './test-wallet.js';

/** Which wallets a person used at the last visit. */
const MEMORY = 'causeway-wallets';
const TEST = 'Test wallet';

/** The wallets that can be chosen, and the accounts that are connected: at most one of each family. */
export class Wallets {
  choices: WalletChoice[] = [];
  readonly accounts = new Map<Family, Account>();
  #stops: (() => void)[] = [];
  #watches = new Map<Family, () => void>();
  readonly #changed: () => void;
  readonly #connected: (account: Account) => void;

  constructor(changed: () => void, connected: (account: Account) => void) {
    this.#changed = changed;
    this.#connected = connected;
  }

  /** Looks for wallets: the host's alone where it has any. */
  start(host: HostWallet | readonly HostWallet[] | undefined): void {
    this.stop();
    this.choices = hostChoices(host);
    if (this.choices.length > 0) {
      for (const choice of this.choices) void this.connect(choice, true).catch(() => {});
      return;
    }
    const found = (choice: WalletChoice) => {
      if (this.choices.some(({ id }) => id === choice.id)) return;
      this.choices = [...this.choices, choice];
      if (remembered().includes(choice.id)) void this.connect(choice, true).catch(() => {});
      this.#changed();
    };
    this.#stops.push(discoverInjected(found), discoverStandard(found));
  }

  /** Adds the wallet of the sandbox, which signs with keys that everybody knows. */
  addTestWallets(rpcOf: (chainId: number) => string | undefined, chainId: number): void {
    for (const family of ['eip155', 'solana'] as const) {
      const id = `test:${family}`;
      if (this.choices.some((choice) => choice.id === id || choice.id.startsWith('host:'))) continue;
      const connect = async (): Promise<Account> => {
        const { connectTestWallet } = await loadChunk<TestWalletModule>('test-wallet');
        const { address, provider, sign } = await connectTestWallet(family, rpcOf, chainId);
        return provider ? accountOf(TEST, provider, address) : { family, address, name: TEST, wallet: fromSigner(address, sign!) };
      };
      const choice: WalletChoice = { id, family, name: TEST, connect };
      this.choices = [...this.choices, choice];
      if (remembered().includes(id)) void this.connect(choice, true).catch(() => {});
    }
    this.#changed();
  }

  stop(): void {
    for (const stop of [...this.#stops, ...this.#watches.values()]) stop();
    this.#stops = [];
    this.#watches.clear();
    this.accounts.clear();
  }

  async connect(choice: WalletChoice, silent = false): Promise<Account | undefined> {
    const account = await choice.connect(silent);
    if (!account) return undefined;
    this.#put(account, choice.id);
    return account;
  }

  disconnect(family: Family): void {
    this.#watches.get(family)?.();
    this.#watches.delete(family);
    this.accounts.delete(family);
    remember(remembered().filter((id) => !this.choices.some((choice) => choice.id === id && choice.family === family)));
    this.#changed();
  }

  #put(account: Account, id: string): void {
    const { family } = account;
    this.#watches.get(family)?.();
    this.accounts.set(family, account);
    const watch = account.watch?.((address) => {
      if (address === undefined) this.disconnect(family);
      else if (address !== this.accounts.get(family)?.address) this.#reconnect(family, id);
    });
    if (watch) this.#watches.set(family, watch);
    remember([...new Set([...remembered(), id])]);
    this.#connected(account);
    this.#changed();
  }

  #reconnect(family: Family, id: string): void {
    const choice = this.choices.find((one) => one.id === id && one.family === family);
    if (choice) void this.connect(choice, true).catch(() => this.disconnect(family));
  }
}

function remembered(): string[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(MEMORY) ?? '[]');
    return Array.isArray(ids) ? ids.map(String) : [];
  } catch {
    return [];
  }
}

function remember(ids: readonly string[]): void {
  try {
    localStorage.setItem(MEMORY, JSON.stringify(ids));
  } catch {
    // A page without storage asks again at the next visit.
  }
}
