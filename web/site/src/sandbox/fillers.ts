import { TestProvider } from '../../../widget/src/wallets/test-wallet.js';
import { catalog, getJson } from '../site.js';
import { rpc } from './rpc.js';

/** The sandbox's fillers: accounts 16 and 18 of the development phrase, whose keys everybody knows. */
export const FILLERS: Readonly<Record<string, { key: string; address: string }>> = {
  north: { key: 'ea6c44ac03bff858b476bba40716402b03e41b8e97e276d1baec7c37d42484a0', address: '0x2546BcD3c84621e976D8185a91A922aE77ECEc30' },
  south: { key: 'de9be858da4a475276426320d5e9262ecfc3ba460bfac56360bfa6c4c28b4ee0', address: '0xdD2FD4581271e230360230F9337D5c0430Bf44C0' },
};

const NOBODY = '000000000000000000000000000000000000dead';

/** USDC on a chain, which is what the fillers are rid of. */
export const usdcOn = (chainId: number): string | undefined => catalog.top.find((token) => token.chainId === chainId && token.symbol === 'USDC')?.address;

function tokenOn(chainId: number): string {
  const token = usdcOn(chainId);
  if (!token) throw new Error('That chain has no USDC.');
  return token;
}

const balanceOf = async (chainId: number, address: string): Promise<bigint> =>
  BigInt(await rpc<string>(chainId, 'eth_call', [{ to: tokenOn(chainId), data: `0x70a08231${address.slice(2).padStart(64, '0')}` }, 'latest']));

/** The fillers spend all their USDC on a chain. */
export async function emptyFillers(chainId: number): Promise<void> {
  for (const { key, address } of Object.values(FILLERS)) {
    const balance = await balanceOf(chainId, address);
    if (balance === 0n) continue;
    const wallet = new TestProvider(key, (id) => `/sandbox/rpc/${id}`, chainId);
    const data = `0xa9059cbb${NOBODY.padStart(64, '0')}${balance.toString(16).padStart(64, '0')}`;
    const hash = (await wallet.request({ method: 'eth_sendTransaction', params: [{ to: tokenOn(chainId), data }] })) as string;
    while ((await rpc(chainId, 'eth_getTransactionReceipt', [hash])) === null) await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** Each filler gets a million USDC on a chain from the faucet. */
export async function refill(chainId: number): Promise<void> {
  for (const { address } of Object.values(FILLERS)) {
    await getJson('/sandbox/faucet', { method: 'POST', body: JSON.stringify({ chainId, address, token: tokenOn(chainId), amount: '1000000000000' }) });
  }
}
