import { generateKeyPairSync, sign } from 'node:crypto';
// Internal modules, which the package does not export.
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

/** A Wallet Standard wallet with a new key. It signs versioned transactions with a single signer. */
export function standardWallet() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const account = { address: base58(key) };
  const signTransaction = async (...inputs) => inputs.map(({ transaction }) => {
    const signed = Uint8Array.from(transaction);
    if (signed[0] !== 1) throw new Error('The transaction must have exactly one signer.');
    signed.set(sign(null, signed.subarray(65), privateKey), 1);
    return { signedTransaction: signed };
  });
  return { wallet: { name: 'Key', features: { 'solana:signTransaction': { version: '1.0.0', signTransaction } } }, account };
}

/** Packs terms in the order in which the escrow reads them, each prefixed with its length. */
export function packTerms(terms) {
  const order = ['version', 'originChainId', 'escrow', 'user', 'nonce', 'inputToken', 'amountIn', 'refundTo', 'filler', 'payee', 'referrer',
    'referrerFee', 'destinationChainId', 'settler', 'outputToken', 'amountOut', 'recipient', 'openDeadline', 'fillDeadline', 'refundAt', 'epoch'];
  return order.flatMap((name) => {
    const digits = BigInt(terms[name]).toString(16);
    const bytes = digits === '0' ? [] : [...Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')];
    return [bytes.length, ...bytes];
  });
}

/** Encodes a version 0 transaction. Keys are bytes; instructions are `[program, accounts, data]`, with key indices. */
export function transactionOf(keys, instructions, { slots = 1, signers = 1, tables = [] } = {}) {
  const count = (number) => (number < 128 ? [number] : [(number & 127) | 128, number >> 7]);
  const list = (items) => [...count(items.length), ...items.flat()];
  const encoded = instructions.map(([program, accounts, data]) => [program, ...list(accounts), ...list([...data])]);
  return Uint8Array.from([
    ...count(slots), ...new Array(slots * 64).fill(0), 0x80, signers, 0, 1, ...list(keys.map((key) => [...key])), ...new Array(32).fill(7),
    ...list(encoded), ...list(tables),
  ]);
}

const bytesOf = (word) => Buffer.from(word.slice(2), 'hex');

/** The accounts of a SOL deposit for these terms. */
export async function accountsOf(terms) {
  const derive = async (...seeds) => Buffer.from(await programAddress(seeds, terms.escrow.slice(2)), 'hex');
  const [order, config] = [await derive(textSeed('order'), orderId(terms)), await derive(textSeed('config'))];
  return { payer: bytesOf(terms.user), escrow: bytesOf(terms.escrow), order, config, system: Buffer.alloc(32) };
}

/** A transaction with a SOL deposit for these terms and nothing else. */
export async function depositOf(terms) {
  const { payer, escrow, order, config, system } = await accountsOf(terms);
  return transactionOf([payer, escrow, order, config, system], [[1, [0, 0, 2, 3, 4], [4, ...packTerms(terms)]]]);
}
