import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { addressOf, solanaSigner, TestProvider } from '../../dist/widget/test-wallet.js';

if (!process.env.CAUSEWAY_URL) throw new Error('set CAUSEWAY_URL to the address of a running Causeway, such as http://127.0.0.1:8080');

/** The service under test, without a trailing slash. */
export const BASE = process.env.CAUSEWAY_URL.replace(/\/+$/, '');

export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const COIN = '0x0000000000000000000000000000000000000000';
export const SOLANA = 20_011_000_000;
export const SOL = '1'.repeat(32);

export const rpcOf = (chainId) => `${BASE}/sandbox/rpc/${chainId}`;

export async function post(path, body) {
  const response = await fetch(`${BASE}${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

export const get = async (path) => (await fetch(`${BASE}${path}`)).json();

export const give = (chainId, address, token, amount) => post('/sandbox/faucet', { chainId, address, token, amount: String(amount) });

/** Raw units of a token that an address holds. */
export async function balanceOf(chainId, token, address) {
  const held = await get(`/v1/tokens/balances/${address}?chainIds=${chainId}`);
  return BigInt(held.find((one) => one.address.toLowerCase() === token.toLowerCase())?.extensions?.balance ?? 0);
}

/** Waits until `is` is true of what `look` says. */
export async function eventually(look, is, what) {
  const end = Date.now() + 90_000;
  for (;;) {
    const found = await look();
    if (is(found)) return found;
    if (Date.now() > end) throw new Error(`${what} did not happen: ${String(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

export const newAddress = () => `0x${randomBytes(20).toString('hex')}`;

/** A fresh EVM account on Base with coins and 1,000 USDC. */
export async function newPayer(chainId = 8453, token = USDC, amount = 1_000_000_000n) {
  const key = randomBytes(32).toString('hex');
  const address = addressOf(key);
  await give(chainId, address, COIN, 10n ** 18n);
  if (token !== COIN) await give(chainId, address, token, amount);
  await eventually(() => balanceOf(chainId, token, address), (has) => has > 0n, 'the faucet');
  return { key, address, provider: new TestProvider(key, rpcOf, chainId) };
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** A fresh Solana account with ten SOL. */
export async function newSolanaPayer() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  let address = '';
  for (let number = BigInt(`0x${raw.toString('hex')}`); number > 0n; number /= 58n) address = ALPHABET[Number(number % 58n)] + address;
  await give(SOLANA, address, undefined, 10_000_000_000n);
  await eventually(() => balanceOf(SOLANA, SOL, address), (has) => has > 0n, 'the faucet');
  const key = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32).toString('hex');
  return { address, sign: await solanaSigner(key) };
}

/**
 * Puts a wallet by EIP-6963 into a page; `request` answers it, and throws what the wallet would.
 */
export async function injectWallet(page, request) {
  await page.exposeFunction('walletRequest', async (args) => {
    try {
      return { result: (await request(args)) ?? null };
    } catch (error) {
      return { error: { code: error.code, message: error.message } };
    }
  });
  await page.addInitScript(() => {
    const provider = {
      async request(args) {
        const { result, error } = await window.walletRequest(args);
        if (error) throw Object.assign(new Error(error.message), { code: error.code });
        return result;
      },
    };
    const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', {
      detail: Object.freeze({ info: { uuid: '1', name: 'Harbour', rdns: 'example.harbour', icon: 'https://elsewhere.example/icon.png' }, provider }),
    }));
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  });
}

/** Puts a Solana wallet by the Wallet Standard into a page. */
export async function injectSolanaWallet(page, { address, sign }) {
  await page.exposeFunction('solanaSign', async (bytes) => [...(await sign(Uint8Array.from(bytes)))]);
  await page.addInitScript((account) => {
    const wallet = {
      name: 'Lantern', accounts: [],
      features: {
        'standard:connect': { connect: async () => ({ accounts: [{ address: account }] }) },
        'solana:signTransaction': { signTransaction: async ({ transaction }) => [{ signedTransaction: Uint8Array.from(await window.solanaSign([...transaction])) }] },
      },
    };
    const register = ({ register: take }) => take(wallet);
    window.addEventListener('wallet-standard:app-ready', (event) => register(event.detail));
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
  }, address);
}
