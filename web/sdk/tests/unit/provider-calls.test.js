// What is read of the calls of liquidity providers, over the calls of `lies.json`.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
// Internal modules, which the package does not export.
import { checkProviderCall } from '../../dist/execute/check-provider-call.js';
import { isKnown, readCall } from '../../dist/provider-calls/evm.js';
import { isKnownSwap, readSwap } from '../../dist/provider-calls/jupiter.js';
import { keccak256 } from '../../dist/transfer/keccak.js';

const table = JSON.parse(await readFile(new URL('../../../../tests/cases/lies.json', import.meta.url), 'utf8'));
const EVM = Object.entries(table.providers).filter(([name]) => name !== 'jupiter');
const dataOf = ({ deposit }) => deposit.approvals[2].request.params[0].data;

/** The same numbers in every run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('a call of a provider', () => {
  const BRIDGE = '(bytes32,string,string,address,address,address,uint256,uint256,bool,bool)';
  const SWAP = '(address,address,address,address,uint256,bytes,bool)';
  const own = {
    Across: '(int64,uint32,bytes,uint256)',
    AcrossV4: '(bytes32,bytes32,bytes32,bytes32,uint256,uint128,bytes32,uint32,uint32,uint32,bytes)',
    AllBridge: '(bytes32,uint256,bytes32,uint256,uint8,bool)',
    CelerCircleBridge: '(uint256,uint32)',
    Chainflip: `(bytes,uint32,address,${SWAP}[],uint256,bytes)`,
    Glacis: '(bytes32,address,uint256,bytes32)',
    Mayan: '(bytes32,address,bytes,address,bytes,address,uint256,address,uint256)',
    PolymerCCTP: '(uint256,uint256,bytes32,bytes32,uint32,address,bytes)',
    Stargate: '(uint16,(uint32,bytes32,uint256,uint256,bytes,bytes,bytes),(uint256,uint256),address)',
  };
  const swap = (name, steps) => `swapTokens${name}(bytes32,string,string,address,uint256,${steps})`;
  const signatures = [
    ...Object.entries(own).flatMap(([name, data]) => [
      `startBridgeTokensVia${name}(${BRIDGE},${data})`, `swapAndStartBridgeTokensVia${name}(${BRIDGE},${SWAP}[],${data})`,
    ]),
    `startBridgeTokensViaPlay(${BRIDGE})`,
    swap('SingleV3ERC20ToERC20', SWAP), swap('SingleV3NativeToERC20', SWAP),
    swap('MultipleV3ERC20ToERC20', `${SWAP}[]`), swap('MultipleV3NativeToERC20', `${SWAP}[]`),
    'depositNative(address,bytes32)', 'depositErc20(address,address,uint256,bytes32)', 'exec(address,address,uint256,address,bytes)',
  ];
  for (const signature of signatures) {
    it(`is known by its function: ${signature.split('(')[0]}`, () => {
      assert.ok(isKnown(`0x${keccak256(Buffer.from(signature).toString('hex')).slice(0, 8)}`));
    });
  }

  for (const [name, provider] of EVM) {
    const data = dataOf(provider);

    it(`is read as a whole or not at all: ${name}`, () => {
      assert.ok(readCall(data));
      for (let end = 10; end < data.length; end += 2) assert.equal(readCall(data.slice(0, end)), undefined, `cut off after ${end}`);
      for (const more of ['00', '00'.repeat(32), 'ff'.repeat(64)]) assert.equal(readCall(data + more), undefined);
    });

    it(`is refused for any changed byte, unless what is compared stays the same: ${name}`, () => {
      const ask = { ...table.ask };
      for (const [pointer, value] of Object.entries(provider.ask)) ask[pointer.slice(1)] = value;
      const target = provider.deposit.target.toLowerCase();
      const allowed = { token: ask.fromToken.toLowerCase(), amount: 1000n, least: 299n, target };
      const trusted = [{ contract: target, unchecked: ['recipient', 'output'] }];
      const settler = checkProviderCall(ask, allowed, trusted, data);
      const { output, ...right } = readCall(data);
      let passed = 0;
      for (let at = 2; at < data.length; at += 2) {
        for (const bits of [1, 0x80, 0xff]) {
          const byte = (Number.parseInt(data.slice(at, at + 2), 16) ^ bits).toString(16).padStart(2, '0');
          const changed = data.slice(0, at) + byte + data.slice(at + 2);
          let named;
          try {
            named = checkProviderCall(ask, allowed, trusted, changed);
          } catch (error) {
            assert.equal(error.code, 'SVC3003', error.stack);
            continue;
          }
          passed += 1;
          const { output: other, settler: both, ...said } = readCall(changed);
          // The settler is left to the registry, which knows only the right one.
          if (named !== settler) continue;
          assert.deepEqual({ ...said, ...(both && { settler: both }) }, right, `byte ${at / 2 - 1}`);
          assert.equal(other?.token, output?.token);
          if (output) assert.ok(other.least >= 299n);
        }
      }
      assert.ok(passed < (3 * data.length) / 4, `${passed} changes passed`);
    });
  }

  it('is read or refused without an exception, whatever its bytes are', () => {
    const random = numbers(7);
    const selectors = EVM.map(([, provider]) => dataOf(provider).slice(0, 10));
    for (let round = 0; round < 3_000; round += 1) {
      // Small words are places and lengths that may fit.
      const words = Array.from({ length: random(40) }, () => (random(3) ? random(700) : random(2 ** 31)).toString(16).padStart(64, random(9) ? '0' : 'f'));
      readCall(selectors[random(selectors.length)] + words.join('').slice(random(64)));
    }
    for (const other of ['', '0x', '0x22', 'constructor', '0x__proto__', '0xdeadbeef']) assert.equal(readCall(other), undefined, other);
  });
});

describe('a swap of Jupiter', () => {
  it('is read or refused without an exception, whatever its bytes are', () => {
    const random = numbers(9);
    for (let round = 0; round < 2_000; round += 1) {
      const name = ['bb64facc31c4af14', 'd19853937cfed8e9'][random(2)];
      const data = Uint8Array.from([...Buffer.from(name, 'hex'), ...Array.from({ length: random(40) }, () => random(256))]);
      assert.ok(isKnownSwap(data));
      const swap = readSwap('0x09', Array.from({ length: random(14) }, () => (random(4) ? '0x01' : undefined)), data);
      if (swap) assert.ok(swap.least < 2n ** 64n && swap.amount < 2n ** 64n);
    }
    assert.equal(isKnownSwap(Uint8Array.of()), false);
  });
});
