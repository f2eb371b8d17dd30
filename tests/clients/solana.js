// Shared by the Solana tests: funded wallets, program addresses and polling.
import { createHmac, pbkdf2Sync } from 'node:crypto';

const base = process.env.CAUSEWAY_URL ?? 'http://127.0.0.1:8080';
export const url = `${base}/sandbox/rpc/20011000000`;
const MNEMONIC = 'test test test test test test test test test test test junk';
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const ATA = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const SYSTEM = '11111111111111111111111111111111';

/** The private key at m/44'/501'/index'/0' (SLIP-10). */
export function privateKey(index) {
  const seed = pbkdf2Sync(MNEMONIC, 'mnemonic', 2048, 64, 'sha512');
  let node = createHmac('sha512', 'ed25519 seed').update(seed).digest();
  for (const step of [44, 501, index, 0]) {
    const data = Buffer.alloc(37);
    node.copy(data, 1, 0, 32);
    data.writeUInt32BE((step + 0x80000000) >>> 0, 33);
    node = createHmac('sha512', node.subarray(32)).update(data).digest();
  }
  return node.subarray(0, 32);
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export async function until(what, check) {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(100)) {
    const found = await check();
    if (found) return found;
  }
  throw new Error(`timed out waiting for ${what}`);
}

/** System transfer and SPL transferChecked, as bytes. */
export function transferData(lamports) {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  return data;
}
export function transferCheckedData(amount, decimals) {
  const data = Buffer.alloc(10);
  data.writeUInt8(12, 0);
  data.writeBigUInt64LE(amount, 1);
  data.writeUInt8(decimals, 9);
  return data;
}
