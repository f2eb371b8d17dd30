import type { Eip1193Provider } from '../wallets/wallet.js';
import { mismatchError } from './mismatch-error.js';
import { encodeWord } from './terms.js';

/** 0x's registry of settlers, at the same address on every chain. */
const REGISTRY = '0x00000000000004533fe15556b1e086bb1a72ceae';
/** Its calls `ownerOf` and `prev` for swaps that the taker sends: the present settler, and the one before. */
const CALLS = ['0x6352211e', '0xe2603dc2'].map((selector) => selector + encodeWord(2));

/** Checks that 0x's registry names the settler that gets the input, as the wallet reads it on the chain. */
export async function checkSettler(wallet: Eip1193Provider, chainId: number, settler: string): Promise<void> {
  if (!await isNamed(wallet, `0x${chainId.toString(16)}`, settler).catch(() => false)) {
    throw mismatchError('call\'s settler', settler, 'one that is trusted, or that the wallet finds in 0x\'s registry');
  }
}

/** Whether the wallet is on the chain, if need be after a switch: it reads the chain that it is on. */
export async function isOnChain(wallet: Eip1193Provider, chainId: string): Promise<boolean> {
  const isThere = async () => Number(await wallet.request({ method: 'eth_chainId' })) === Number(chainId);
  if (await isThere()) return true;
  await wallet.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  return isThere();
}

async function isNamed(wallet: Eip1193Provider, chainId: string, settler: string): Promise<boolean> {
  if (!await isOnChain(wallet, chainId)) return false;
  for (const data of CALLS) {
    // A registry that is paused names none.
    const named = await wallet.request({ method: 'eth_call', params: [{ to: REGISTRY, data }, 'latest'] }).catch(() => '');
    if (String(named).toLowerCase() === `0x${encodeWord(settler)}`) return true;
  }
  return false;
}
