import { encodeFunctionData, parseAbi } from 'viem';
import { fromViem } from '@causeway/sdk/viem';
import { reader, walletOf } from './sandbox.js';

/** Multicall3, at the address that it has on every chain. */
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11';
const ABI = parseAbi(['function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls) payable']);

/**
 * A wallet that takes atomic batches (EIP-5792) for a new account on Base: the account delegates to Multicall3 (EIP-7702) and calls itself,
 * so that a batch is one transaction. Anybody may call such an account, which is good enough for a test.
 */
export function batchingWallet(account) {
  const client = walletOf(8453, account);
  const wallet = fromViem(client);
  const sent = new Map();
  const execute = async ({ calls, version, atomicRequired }) => {
    if (version !== '2.0.0' || atomicRequired !== true) throw Object.assign(new Error('Invalid batch.'), { code: -32602 });
    const authorization = await client.signAuthorization({ contractAddress: MULTICALL, executor: 'self' });
    const args = [calls.map(({ to, value, data }) => ({ target: to, allowFailure: false, value: BigInt(value), callData: data }))];
    const data = encodeFunctionData({ abi: ABI, functionName: 'aggregate3Value', args });
    return client.sendTransaction({ to: account.address, data, gas: 1_000_000n, authorizationList: [authorization] });
  };
  return {
    async request({ method, params }) {
      if (method === 'wallet_getCapabilities') return { '0x2105': { atomic: { status: 'ready' } } };
      if (method === 'wallet_sendCalls') {
        const id = `batch-${sent.size}`;
        sent.set(id, await execute(params[0]));
        return { id };
      }
      if (method === 'wallet_getCallsStatus') {
        const receipt = await reader(8453).request({ method: 'eth_getTransactionReceipt', params: [sent.get(params[0])] });
        return { version: '2.0.0', id: params[0], chainId: '0x2105', atomic: true, ...(receipt ? { status: Number(receipt.status) ? 200 : 500, receipts: [receipt] } : { status: 100 }) };
      }
      return wallet.request({ method, params });
    },
  };
}
