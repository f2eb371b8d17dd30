import type { Eip1193Provider } from './wallet.js';

/** The methods of an ethers signer that the SDK uses. */
export interface EthersSigner {
  provider: { send?(method: string, params: any): Promise<unknown>; getNetwork(): Promise<{ chainId: bigint }> } | null;
  getAddress(): Promise<string>;
  sendTransaction(transaction: any): Promise<{ hash: string }>;
  signTypedData(domain: any, types: any, value: any): Promise<string>;
}

/** Adapts an ethers signer with a JSON-RPC provider to a wallet for `executeSwap`. */
export function fromEthers(signer: EthersSigner): Eip1193Provider {
  const { provider } = signer;
  if (!provider?.send) throw new TypeError('The signer has no JSON-RPC provider.');
  const send = (method: string, params: unknown) => provider.send!(method, params ?? []);
  const chainId = async () => Number((await provider.getNetwork()).chainId);
  return {
    async request({ method, params }) {
      switch (method) {
        case 'eth_accounts':
          return [await signer.getAddress()];
        case 'wallet_switchEthereumChain':
          // A local key signs for the chain of its provider; only browser wallets can switch chains.
          return (await chainId()) === Number(params[0].chainId) ? null : send(method, params);
        case 'eth_sendTransaction': {
          const { to, data, value, gas, chainId: txChainId } = params[0];
          const transaction = { to, data, value: value ?? '0x0', chainId: Number(txChainId), ...(gas === undefined ? {} : { gasLimit: gas }) };
          return (await signer.sendTransaction(transaction)).hash;
        }
        case 'eth_signTypedData_v4': {
          const { domain, types, message } = JSON.parse(params[1]);
          const { EIP712Domain: _, ...messageTypes } = types;
          return signer.signTypedData(domain, messageTypes, message);
        }
        default:
          return send(method, params);
      }
    },
  };
}
