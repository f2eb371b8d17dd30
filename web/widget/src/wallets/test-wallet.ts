import { keccak256 } from './keccak.js';
import type { Family } from './account.js';
import type { Provider } from './injected.js';
import { bytesOf, concat, fromHex, rlp, toHex } from './rlp.js';
import { publicKey, sign } from './secp256k1.js';
import { typedDataDigest, type TypedData } from './typed-data.js';

/** What the widget needs of this part. */
export interface TestWalletModule {
  connectTestWallet(family: Family, rpcOf: (chainId: number) => string | undefined, chainId: number): Promise<TestWallet>;
}

/** An account of the sandbox: a provider of EVM chains, or what signs a transaction of Solana. */
export interface TestWallet {
  address: string;
  provider?: Provider;
  sign?: (transaction: Uint8Array) => Promise<Uint8Array>;
}

/**
 * The accounts 5 to 7 of the development phrase "test test … junk", which the sandbox has funded: EVM key, Solana key, Solana address.
 * Everybody knows them, so they are no secrets.
 */
const KEYS = [
  ['8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba', '22e6f8ea7e213a67f801d313daa33046f5f7b1808f38d5b2bb7301aefa158cbc', '7EeV8eiRuGoR8bFHCjdCRGQd1RM5sR2dAkdiTEtC9ko7'],
  ['92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e', '9515bfa8fecc7b7ebe75fd55e9d15b6f7988d79dbf6546f998630cacafb63fc7', 'F9fVg2LeE2RhM6CfNn888hbjqovZDEWY3vm2hEkvX3Nh'],
  ['4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356', '3979d8b5812d7747cfd25215b0a904fdbdf8f7c24aa82a91c2e00878ff1146ff', '26roUwgM5T6bccX41hakjiW4fDiKFSao1RyoFsAxr6e6'],
] as const;
/** PKCS #8 of an Ed25519 key, before its 32 bytes. */
const ED25519_HEAD = '302e020100300506032b657004220420';

/** A wallet of the sandbox that signs without asking. */
export async function connectTestWallet(family: Family, rpcOf: (chainId: number) => string | undefined, chainId: number): Promise<TestWallet> {
  const [evm, solana, address] = KEYS[which()]!;
  if (family === 'eip155') return { address: addressOf(evm), provider: new TestProvider(evm, rpcOf, chainId) };
  return { address, sign: await solanaSigner(solana) };
}

/** Signs as the only signer of a transaction, with a key in hex. */
export async function solanaSigner(hex: string): Promise<(transaction: Uint8Array) => Promise<Uint8Array>> {
  const key = await crypto.subtle.importKey('pkcs8', fromHex(`${ED25519_HEAD}${hex}`) as BufferSource, 'Ed25519', false, ['sign']);
  return async (transaction) => {
    const signed = Uint8Array.from(transaction);
    signed.set(new Uint8Array(await crypto.subtle.sign('Ed25519', key, transaction.slice(65))), 1);
    return signed;
  };
}

/** Visitors of one sandbox get different accounts, and each keeps its own. */
function which(): number {
  const memory = 'causeway-test-account';
  try {
    const kept = Number(localStorage.getItem(memory) ?? Math.floor(Math.random() * KEYS.length)) % KEYS.length;
    localStorage.setItem(memory, String(kept));
    return kept;
  } catch {
    return 0;
  }
}

export function addressOf(key: string): string {
  const digits = toHex(keccak256(publicKey(key)).subarray(12)).slice(2);
  const hash = toHex(keccak256(new TextEncoder().encode(digits))).slice(2);
  return `0x${Array.from(digits, (digit, at) => (parseInt(hash[at]!, 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}

interface Transaction {
  to: string;
  data?: string;
  value?: string;
  gas?: string;
}

/** A provider around one key; what needs no key is asked of the chain that it is on. */
export class TestProvider implements Provider {
  #chainId: number;
  readonly #key: string;
  readonly #address: string;
  readonly #rpcOf: (chainId: number) => string | undefined;

  constructor(key: string, rpcOf: (chainId: number) => string | undefined, chainId: number) {
    this.#key = key;
    this.#address = addressOf(key);
    this.#rpcOf = rpcOf;
    this.#chainId = chainId;
  }

  async request({ method, params = [] }: { method: string; params?: any[] }): Promise<unknown> {
    switch (method) {
      case 'eth_accounts':
      case 'eth_requestAccounts':
        return [this.#address];
      case 'eth_chainId':
        return `0x${this.#chainId.toString(16)}`;
      case 'wallet_switchEthereumChain':
        this.#chainId = Number(params[0].chainId);
        return null;
      case 'eth_sendTransaction':
        return this.#rpc('eth_sendRawTransaction', [toHex(await this.#signed(params[0] as Transaction))]);
      case 'eth_signTypedData_v4': {
        const { bytes, recovery } = sign(typedDataDigest(JSON.parse(params[1]) as TypedData), this.#key);
        return toHex(concat([bytes, Uint8Array.of(27 + recovery)]));
      }
      default:
        return this.#rpc(method, params);
    }
  }

  async #signed({ to, data = '0x', value = '0x0', gas }: Transaction): Promise<Uint8Array> {
    const from = this.#address;
    const number = async (method: string, params: unknown[]) => BigInt((await this.#rpc(method, params)) as string);
    const [nonce, price, limit] = await Promise.all([
      number('eth_getTransactionCount', [from, 'pending']),
      number('eth_gasPrice', []),
      gas === undefined ? number('eth_estimateGas', [{ from, to, data, value }]) : BigInt(gas),
    ]);
    const fields = [BigInt(this.#chainId), nonce, price, price * 2n, limit].map(bytesOf);
    const body = [...fields, fromHex(to), bytesOf(BigInt(value)), fromHex(data), []];
    const type = Uint8Array.of(2);
    const { bytes, recovery } = sign(keccak256(concat([type, rlp(body)])), this.#key);
    const words = [BigInt(recovery), BigInt(toHex(bytes.subarray(0, 32))), BigInt(toHex(bytes.subarray(32)))];
    return concat([type, rlp([...body, ...words.map(bytesOf)])]);
  }

  async #rpc(method: string, params: unknown[]): Promise<unknown> {
    const url = this.#rpcOf(this.#chainId);
    if (!url) throw new Error(`The test wallet has no endpoint of chain ${this.#chainId}.`);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string; code: number } };
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  }
}
