import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keccak256 as expected } from 'viem';
import { keccak256 } from '../../dist/transfer/keccak.js';

it('hashes inputs of every length as viem does', () => {
  assert.equal(keccak256(''), 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
  for (let length = 0; length < 300; length += 1) {
    const bytes = Buffer.from(Array.from({ length }, (_, at) => (at * 7 + length) & 255)).toString('hex');
    assert.equal(`0x${keccak256(bytes)}`, expected(`0x${bytes}`), String(length));
  }
});
