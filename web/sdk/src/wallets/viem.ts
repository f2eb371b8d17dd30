import type { Eip1193Provider } from './wallet.js';

/** What is needed of viem's wallet client; a client with an account has it. */
export interface ViemWallet {
  account?: { address: string; type: string } | undefined;
  request(args: any): Promise<unknown>;
  getChainId(): Promise<number>;
  sendTransaction(args: any): Promise<string>;
  signTypedData(args: any): Promise<string>;
}

/** A wallet client of viem as a wallet for `executeSwap`, with an account of its own or one of the node's. */
export function fromViem(wallet: ViemWallet): Eip1193Provider {
  const { account } = wallet;
  if (!account) throw new TypeError('The wallet client has no account.');
  const local = account.type === 'local';
  const switchTo = async (chainId: number) => {
    const at = await wallet.getChainId();
    if (at !== chainId) throw new Error(`The wallet client is on chain ${at}, and the deposit on chain ${chainId}.`);
  };
  return {
    async request({ method, params }) {
      switch (method) {
        case 'eth_accounts':
          return [account.address];
        case 'wallet_switchEthereumChain':
          return local ? switchTo(Number(params[0].chainId)) : wallet.request({ method, params });
        case 'eth_sendTransaction': {
          const { to, data, value, gas, chainId } = params[0];
          // A wallet that nobody switched, or that did not, would send on the chain that it is on.
          await switchTo(Number(chainId));
          const fields = { to, data, value: BigInt(value ?? 0), ...(gas === undefined ? {} : { gas: BigInt(gas) }) };
          return wallet.sendTransaction({ ...fields, account, chain: null });
        }
        case 'eth_signTypedData_v4':
          return wallet.signTypedData({ ...JSON.parse(params[1]), account });
        default:
          return wallet.request({ method, params });
      }
    },
  };
}
