import { fromSigner } from '@causeway/sdk/solana';
import { fromViem } from '@causeway/sdk/viem';
import type { Eip1193Like, HostWallet, SolanaWalletLike, StandardWalletLike, ViemWalletLike } from '../public.js';
import type { WalletChoice } from './account.js';
import { accountOf, choiceOf, type Provider } from './injected.js';
import { choiceOfStandard } from './standard.js';

/** The host's own wallets as choices. */
export function hostChoices(option: HostWallet | readonly HostWallet[] | undefined): WalletChoice[] {
  const wallets = option === undefined ? [] : Array.isArray(option) ? (option as readonly HostWallet[]) : [option as HostWallet];
  return wallets.map((wallet, number) => hostChoice(wallet, `host:${number}`));
}

function hostChoice(wallet: HostWallet, id: string): WalletChoice {
  if ('features' in wallet) return choiceOfStandard(wallet as StandardWalletLike);
  if ('sendTransaction' in wallet && 'signTypedData' in wallet) return viemChoice(wallet as ViemWalletLike, id);
  if ('request' in wallet) return choiceOf(id, nameOf(wallet), wallet as Eip1193Like as Provider);
  if ('signTransaction' in wallet) return solanaChoice(wallet as SolanaWalletLike, id);
  throw new TypeError('A wallet of the host is neither EIP-1193, nor viem, nor the Wallet Standard, nor a Solana adapter.');
}

const nameOf = (wallet: object) => ('name' in wallet && typeof wallet.name === 'string' ? wallet.name : 'Wallet');

function viemChoice(wallet: ViemWalletLike, id: string): WalletChoice {
  return {
    id, family: 'eip155', name: nameOf(wallet),
    connect: async () => (wallet.account ? accountOf(nameOf(wallet), fromViem(wallet), wallet.account.address) : undefined),
  };
}

/** An adapter takes and returns transaction objects; a plain signer takes and returns bytes. */
function solanaChoice(wallet: SolanaWalletLike, id: string): WalletChoice {
  const isAdapter = 'publicKey' in wallet;
  const sign = async (bytes: Uint8Array): Promise<Uint8Array> => {
    if (!isAdapter) return wallet.signTransaction(bytes) as Promise<Uint8Array>;
    const signed = (await wallet.signTransaction({ version: 0, serialize: () => bytes })) as { serialize(): Uint8Array };
    return signed.serialize();
  };
  return {
    id, family: 'solana', name: nameOf(wallet),
    async connect() {
      const address = wallet.address ?? wallet.publicKey?.toString();
      return address === undefined ? undefined : { family: 'solana', address, name: nameOf(wallet), wallet: fromSigner(address, sign) };
    },
  };
}
