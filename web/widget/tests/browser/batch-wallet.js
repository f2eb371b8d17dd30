import { load } from '../unit/load.js';
import { newPayer } from './wallets.js';

const { bytesOf, concat, fromHex, rlp, toHex } = await load('wallets/rlp.ts');
const { keccak256 } = await load('wallets/keccak.ts');
const { sign } = await load('wallets/secp256k1.ts');

/** Multicall3, at the address that it has on every chain. */
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11';

const word = (value) => BigInt(value).toString(16).padStart(64, '0');

/** The call `aggregate3Value((address,bool,uint256,bytes)[])`: all of the calls or none. */
function aggregate(calls) {
  const tuples = calls.map(({ to, value, data }) => {
    const bytes = data.slice(2);
    return word(to) + word(0) + word(value) + word(128) + word(bytes.length / 2) + bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0');
  });
  const offsets = tuples.map((_, at) => word(32 * calls.length + tuples.slice(0, at).join('').length / 2));
  return `0x174dea71${word(32)}${word(calls.length)}${offsets.join('')}${tuples.join('')}`;
}

const signature = (key, type, fields) => {
  const { bytes, recovery } = sign(keccak256(concat([Uint8Array.of(type), rlp(fields)])), key);
  return [BigInt(recovery), BigInt(toHex(bytes.subarray(0, 32))), BigInt(toHex(bytes.subarray(32)))].map(bytesOf);
};

/**
 * A fresh account on Base whose wallet takes atomic batches (EIP-5792): the account delegates to Multicall3 (EIP-7702) and calls itself, so
 * that a batch is one transaction. `asked` has the requests of the page.
 */
export async function newBatchingPayer() {
  const { key, address, provider } = await newPayer();
  const asked = [];
  const batches = new Map();
  const send = async ({ chainId, calls }) => {
    const nonce = BigInt(await provider.request({ method: 'eth_getTransactionCount', params: [address, 'pending'] }));
    const price = BigInt(await provider.request({ method: 'eth_gasPrice' }));
    const chain = bytesOf(BigInt(chainId));
    // The transaction itself uses up the account's nonce before the delegation is looked at.
    const delegation = [chain, fromHex(MULTICALL), bytesOf(nonce + 1n)];
    const authorization = [...delegation, ...signature(key, 5, delegation)];
    const fields = [chain, bytesOf(nonce), bytesOf(price), bytesOf(price * 2n), bytesOf(1_000_000n), fromHex(address), bytesOf(0n), fromHex(aggregate(calls)), [], [authorization]];
    const raw = concat([Uint8Array.of(4), rlp([...fields, ...signature(key, 4, fields)])]);
    return provider.request({ method: 'eth_sendRawTransaction', params: [toHex(raw)] });
  };
  const request = async (args) => {
    const { method, params } = args;
    asked.push(method);
    if (method === 'wallet_getCapabilities') return { '0x2105': { atomic: { status: 'ready' } } };
    if (method === 'wallet_sendCalls') {
      const id = `batch-${batches.size}`;
      batches.set(id, await send(params[0]));
      return { id };
    }
    if (method === 'wallet_getCallsStatus') {
      const hash = batches.get(params[0]);
      if (!hash) throw Object.assign(new Error('Unknown batch.'), { code: 5730 });
      const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] });
      return receipt ? { status: Number(receipt.status) === 1 ? 200 : 500, atomic: true, receipts: [receipt] } : { status: 100 };
    }
    return provider.request(args);
  };
  return { address, asked, batches, request };
}
