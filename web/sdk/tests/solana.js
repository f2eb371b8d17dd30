import { generateKeyPairSync, sign } from 'node:crypto';
// The pure parts themselves, which are not exported.
import { orderId } from '../dist/transfer/order-id.js';
import { programAddress, textSeed } from '../dist/transfer/program-address.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export function base58(bytes) {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text;
  for (const byte of bytes) {
    if (byte !== 0) break;
    text = `1${text}`;
  }
  return text;
}

/** A wallet by the Wallet Standard around a fresh key: it signs as the only signer of a versioned transaction. */
export function standardWallet() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const account = { address: base58(key) };
  const signTransaction = async (...inputs) => inputs.map(({ transaction }) => {
    const signed = Uint8Array.from(transaction);
    if (signed[0] !== 1) throw new Error('This wallet signs alone.');
    signed.set(sign(null, signed.subarray(65), privateKey), 1);
    return { signedTransaction: signed };
  });
  return { wallet: { name: 'Key', features: { 'solana:signTransaction': { version: '1.0.0', signTransaction } } }, account };
}

/** The words of terms in the order in which the escrow reads them, each after its length. */
export function packTerms(terms) {
  const order = ['version', 'originChainId', 'escrow', 'user', 'nonce', 'inputToken', 'amountIn', 'refundTo', 'filler', 'payee', 'referrer',
    'referrerFee', 'destinationChainId', 'settler', 'outputToken', 'amountOut', 'recipient', 'openDeadline', 'fillDeadline', 'refundAt', 'epoch'];
  return order.flatMap((name) => {
    const digits = BigInt(terms[name]).toString(16);
    const bytes = digits === '0' ? [] : [...Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')];
    return [bytes.length, ...bytes];
  });
}

/** A transaction of version 0 with room for one signature; keys are bytes, instructions `[program, accounts, data]` by number. */
export function transactionOf(keys, instructions, { slots = 1, signers = 1, tables = [] } = {}) {
  const count = (number) => (number < 128 ? [number] : [(number & 127) | 128, number >> 7]);
  const list = (items) => [...count(items.length), ...items.flat()];
  const written = instructions.map(([program, accounts, data]) => [program, ...list(accounts), ...list([...data])]);
  return Uint8Array.from([
    ...count(slots), ...new Array(slots * 64).fill(0), 0x80, signers, 0, 1, ...list(keys.map((key) => [...key])), ...new Array(32).fill(7),
    ...list(written), ...list(tables),
  ]);
}

const bytesOf = (word) => Buffer.from(word.slice(2), 'hex');

/** The accounts of a deposit of SOL for these terms, as the escrow takes them. */
export async function accountsOf(terms) {
  const derived = async (...seeds) => Buffer.from(await programAddress(seeds, terms.escrow.slice(2)), 'hex');
  const [order, config] = [await derived(textSeed('order'), orderId(terms)), await derived(textSeed('config'))];
  return { payer: bytesOf(terms.user), escrow: bytesOf(terms.escrow), order, config, system: Buffer.alloc(32) };
}

/** A transaction that deposits SOL for these terms, and nothing else. */
export async function depositOf(terms) {
  const { payer, escrow, order, config, system } = await accountsOf(terms);
  return transactionOf([payer, escrow, order, config, system], [[1, [0, 0, 2, 3, 4], [4, ...packTerms(terms)]]]);
}
