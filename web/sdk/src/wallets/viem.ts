import type { Eip1193Provider } from './wallet.js';

/** The methods of viem's `WalletClient` that the SDK uses. */
export interface ViemWallet {
  account?: { address: string; type: string } | undefined;
  request(args: any, options?: any): Promise<unknown>;
  getChainId(): Promise<number>;
  sendTransaction(args: any): Promise<string>;
  signTypedData(args: any): Promise<string>;
}

/** Adapts a viem `WalletClient` with a local or JSON-RPC account to a wallet for `executeSwap`. */
export function fromViem(wallet: ViemWallet): Eip1193Provider {
  const { account } = wallet;
  if (!account) throw new TypeError('The wallet client has no account.');
  const local = account.type === 'local';
  const checkChain = async (chainId: number) => {
    const current = await wallet.getChainId();
    if (current !== chainId) throw new Error(`The wallet client is on chain ${current}, but the deposit is on chain ${chainId}.`);
  };
  return {
    async request({ method, params }) {
      switch (method) {
        case 'eth_accounts':
          return [account.address];
        case 'wallet_switchEthereumChain':
          return local ? checkChain(Number(params[0].chainId)) : wallet.request({ method, params });
        case 'eth_sendTransaction': {
          const { to, data, value, gas, chainId } = params[0];
          // A wallet that did not switch would send on its current chain.
          await checkChain(Number(chainId));
          const fields = { to, data, value: BigInt(value ?? 0), ...(gas === undefined ? {} : { gas: BigInt(gas) }) };
          return wallet.sendTransaction({ ...fields, account, chain: null });
        }
        case 'eth_signTypedData_v4':
          return wallet.signTypedData({ ...JSON.parse(params[1]), account });
        case 'wallet_getCapabilities':
        case 'wallet_sendCalls':
          // A local key signs single transactions. Other wallets are asked once: a repeated request could send the batch twice.
          if (local) throw Object.assign(new Error('The account does not send batches.'), { code: 4200 });
          return wallet.request({ method, params }, { retryCount: 0 });
        default:
          return wallet.request({ method, params });
      }
    },
  };
}
