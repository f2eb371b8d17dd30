import type { Eip1193Provider } from './wallet.js';

/** What is needed of a signer of ethers. */
export interface EthersSigner {
  provider: { send?(method: string, params: any): Promise<unknown>; getNetwork(): Promise<{ chainId: bigint }> } | null;
  getAddress(): Promise<string>;
  sendTransaction(transaction: any): Promise<{ hash: string }>;
  signTypedData(domain: any, types: any, value: any): Promise<string>;
}

/** A signer of ethers, with a provider that takes JSON-RPC, as a wallet for `executeSwap`. */
export function fromEthers(signer: EthersSigner): Eip1193Provider {
  const { provider } = signer;
  if (!provider?.send) throw new TypeError('The signer has no provider that takes JSON-RPC.');
  const send = (method: string, params: unknown) => provider.send!(method, params ?? []);
  const chainId = async () => Number((await provider.getNetwork()).chainId);
  return {
    async request({ method, params }) {
      switch (method) {
        case 'eth_accounts':
          return [await signer.getAddress()];
        case 'wallet_switchEthereumChain':
          // A key in memory signs for the chain of its provider; only a browser's wallet can be switched.
          return (await chainId()) === Number(params[0].chainId) ? null : send(method, params);
        case 'eth_sendTransaction': {
          const { to, data, value, gas, chainId: wanted } = params[0];
          const transaction = { to, data, value: value ?? '0x0', chainId: Number(wanted), ...(gas === undefined ? {} : { gasLimit: gas }) };
          return (await signer.sendTransaction(transaction)).hash;
        }
        case 'eth_signTypedData_v4': {
          const { domain, types, message } = JSON.parse(params[1]);
          const { EIP712Domain: _, ...own } = types;
          return signer.signTypedData(domain, own, message);
        }
        default:
          return send(method, params);
      }
    },
  };
}
