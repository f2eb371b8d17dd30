// What the endpoint of a wallet says of a provider's transaction, as the table of lies has it (`simulation`).
import assert from 'node:assert/strict';
import { createServer } from 'node:http';

const NATIVE = 10n ** 18n;
const INPUT = 10n ** 9n;
const OUTPUT = 5n;

const word = (value) => BigInt(value).toString(16).padStart(64, '0');
const lower = (address) => address.toLowerCase();

/** Answers `eth_call` with a state override; `signed` tells it of each transaction that was signed since. */
export function endpointOf(code, ask, before = {}) {
  let simulation = before;
  let allowed = BigInt(simulation?.allowed ?? 0);
  /** What the transactions so far have changed. */
  const run = (calls, payer) => {
    let native = NATIVE;
    let input = INPUT;
    let output = OUTPUT;
    let allowance = allowed;
    return calls.map(({ to, value, data }) => {
      const [selector, ...words] = [data.slice(0, 8), ...(data.slice(8).match(/.{64}/g) ?? [])];
      if (to === payer) return [true, word(native)];
      if (selector === '70a08231') return [!simulation.unreadable, word(to === lower(ask.fromToken) ? input : output)];
      if (selector === 'dd62ed3e') return [true, word(allowance)];
      if (selector === '095ea7b3') {
        if (simulation.refusesAllowance) return [false, ''];
        allowance = BigInt(`0x${words[1]}`);
        return [true, word(1)];
      }
      if (simulation.fails !== undefined) return [false, simulation.fails.slice(2)];
      const takes = BigInt(simulation.takes ?? ask.amount);
      native -= BigInt(simulation.takesNative ?? value);
      if (value === 0n) input -= takes;
      allowance = BigInt(simulation.leaves ?? (allowance > takes ? allowance - takes : 0n));
      output += BigInt(simulation.pays ?? 300);
      return [true, ''];
    });
  };
  return {
    signed: ({ data }) => {
      if (!data.startsWith('0x095ea7b3')) return;
      allowed = BigInt(`0x${data.slice(74)}`);
      simulation = simulation && { ...simulation, ...simulation.later };
    },
    call: ([{ from, to, data, ...rest }, block, accounts]) => {
      const payer = lower(ask.fromAddress);
      assert.deepEqual([from, to, rest, block, accounts], [payer, payer, {}, 'latest', { [payer]: { code } }]);
      if (simulation === null) throw Object.assign(new Error('Too many arguments.'), { code: -32602 });
      if (simulation.answer !== undefined) return simulation.answer;
      const calls = [];
      for (let at = 2; at < data.length;) {
        const [target, value, size] = data.slice(at, at + 192).match(/.{64}/g);
        at += 192 + Number(`0x${size}`) * 2;
        calls.push({ to: `0x${target.slice(24)}`, value: BigInt(`0x${value}`), data: data.slice(at - Number(`0x${size}`) * 2, at) });
      }
      return `0x${run(calls, payer).map(([succeeds, digits]) => word(succeeds ? 1 : 0) + word(digits.length / 2) + digits).join('')}`;
    },
  };
}

const LAMPORTS = 1_000_000_000;
const RENT = 2_039_280;
const FEE = 5_000;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const bytesOf = (address) => Buffer.from([...address].reduce((number, character) => number * 58n + BigInt(ALPHABET.indexOf(character)), 0n).toString(16).padStart(64, '0'), 'hex');

/** The accounts with these keys before or after the swap: the payer's wallet and token accounts, and nothing else. */
function accountsOf(simulation, ask, keys, after) {
  const number = (name, otherwise) => Number(simulation[name] ?? otherwise);
  /** A token account of the payer, over which somebody else may have power after the swap. */
  const tokens = (name, amount) => {
    const data = Buffer.alloc(165);
    const is = (field) => after && simulation[field] === name;
    (is('gives') ? Buffer.alloc(32, 0xdd) : bytesOf(ask.fromAddress)).copy(data, 32);
    data.writeBigUInt64LE(BigInt(amount), 64);
    [data[72], data[108], data[129]] = [is('delegates') ? 1 : 0, 1, is('closable') ? 1 : 0];
    return { lamports: RENT, owner: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', data: [data.toString('base64'), 'base64'] };
  };
  return keys.map((key) => {
    if (key === ask.fromAddress) {
      const takes = after ? number('takesNative', FEE + (simulation.opens ? RENT : 0)) : 0;
      return { lamports: LAMPORTS - takes, owner: (after && simulation.walletOf) || '1'.repeat(32), data: ['', 'base64'] };
    }
    if (key === simulation.source) return tokens('source', 5_000 - (after ? number('takes', ask.amount) : 0));
    if (key === simulation.destination && (after || !simulation.opens)) return tokens('destination', (simulation.opens ? 0 : 5) + (after ? number('pays', 300) : 0));
    if (key === simulation.other) return tokens('other', 7 - (after ? number('takesOther', 0) : 0));
    return null;
  });
}

/** Starts an endpoint of Solana that simulates. */
export async function startSolana(ask, simulation) {
  const answer = ({ method, params: [first, options] }) => {
    if (simulation.answer !== undefined) return simulation.answer;
    if (method === 'getMultipleAccounts') return { value: accountsOf(simulation, ask, first, false) };
    assert.equal(method, 'simulateTransaction');
    assert.deepEqual([options.encoding, options.sigVerify, options.replaceRecentBlockhash], ['base64', false, true]);
    if (simulation.fails !== undefined) return { value: { err: simulation.fails, accounts: null } };
    const accounts = accountsOf(simulation, ask, options.accounts.addresses, true);
    return { value: { err: null, accounts: simulation.fewer ? accounts.slice(0, -1) : accounts } };
  };
  return startEndpoint(20_011_000_000, answer);
}

/** Starts an endpoint of the caller's own for a chain. */
export async function startEndpoint(chainId, answer) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: answer(JSON.parse(body)) }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const chain = { chainName: 'Own', rpcUrls: [`http://127.0.0.1:${server.address().port}`], nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 } };
  return { chains: { [chainId]: chain }, stop: () => server.close() };
}
