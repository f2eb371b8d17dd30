import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { getPublicKey, Signature } from '@noble/secp256k1';
import { shortDecimals } from '../../scripts/short-decimals.js';
import { load } from './load.js';

const { publicKey, sign } = await load('wallets/secp256k1.ts');
const { addressOf } = await load('wallets/test-wallet.ts');

test('the test wallet signs as a library does', () => {
  const keys = ['1'.padStart(64, '0'), '8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba', 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140'];
  for (const key of keys) {
    assert.deepEqual(Buffer.from(publicKey(key)).toString('hex'), Buffer.from(getPublicKey(key, false).subarray(1)).toString('hex'));
    for (let round = 0; round < 8; round += 1) {
      const digest = crypto.getRandomValues(new Uint8Array(32));
      const { bytes, recovery } = sign(digest, key);
      const signature = Signature.fromCompact(bytes).addRecoveryBit(recovery);
      assert.ok(!signature.hasHighS());
      assert.deepEqual(signature.recoverPublicKey(digest).toRawBytes(false), getPublicKey(key, false));
    }
  }
  assert.equal(addressOf('8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba'), '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc');
});

test('the shortened table still knows the decimals of well-known tokens, and no others', async () => {
  const bundle = async (path, plugins) => {
    const entry = fileURLToPath(new URL(`../../../sdk/src/${path}`, import.meta.url));
    const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false, platform: 'neutral', plugins });
    return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
  };
  const { DECIMALS } = await bundle('generated/decimals.ts', []);
  const { knownDecimals } = await bundle('execute/decimals.ts', [shortDecimals]);
  for (const [chain, groups] of Object.entries(DECIMALS)) {
    for (const [decimals, tokens] of Object.entries(groups)) for (const token of tokens.split(' ')) assert.equal(knownDecimals(Number(chain), token), Number(decimals), token);
  }
  assert.equal(knownDecimals(1, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'), 6);
  assert.equal(knownDecimals(10, '0x4200000000000000000000000000000000000042'), undefined);
  assert.equal(knownDecimals(1, '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb49'), undefined);
});
