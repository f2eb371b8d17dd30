// A complete filler for dollar tokens on EVM chains: serves the two calls, fills through the settler, claims from the escrow.
// README.md says how to run it, and what production needs.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { concat, createPublicClient, createWalletClient, defineChain, encodeAbiParameters, http, isAddressEqual, keccak256, pad, parseAbi, slice, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const TYPE = 'CausewayOrder(uint256 version,uint256 originChainId,bytes32 escrow,bytes32 user,bytes32 nonce,bytes32 inputToken,uint256 amountIn,bytes32 refundTo,bytes32 filler,bytes32 payee,bytes32 referrer,uint256 referrerFee,uint256 destinationChainId,bytes32 settler,bytes32 outputToken,uint256 amountOut,bytes32 recipient,uint256 openDeadline,uint256 fillDeadline,uint256 refundAt,uint256 epoch)';
const FIELDS = TYPE.slice(TYPE.indexOf('(') + 1, -1).split(',').map((field) => field.split(' '));
const ABI = parseAbi([
  `struct Order { ${FIELDS.map((field) => `${field.join(' ')};`).join(' ')} }`,
  'function status(bytes32 orderId) view returns (uint8)',
  'function claim(Order order, uint256 filledAt, bytes32 fillRef, bytes[] signatures)',
  'function fill(bytes32 orderId, bytes originData, bytes fillerData) payable',
  'function approve(address spender, uint256 amount) returns (bool)',
]);
const [WINDOW, MAX_BODY_BYTES, CHAINS] = [300, 64 * 1024, [1, 10, 8453, 42161]];

/** @param {string} name */
function env(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

const service = env('CAUSEWAY_URL').replace(/\/$/, '');
const secret = env('FILLER_SECRET');
const spread = BigInt(process.env.FILLER_SPREAD ?? 100);
const account = privateKeyToAccount(/** @type {`0x${string}`} */ (env('FILLER_KEY')));

/** @param {string} path @returns {Promise<any>} */
const get = async (path) => (await fetch(service + path)).json();

/** @type {Map<number, any>} Public and wallet client, by chain. */
const chains = new Map();
for (const { id, name, nativeCurrency, rpcUrls } of await get('/v1/chains')) {
  const options = { account, chain: defineChain({ id, name, nativeCurrency, rpcUrls }), transport: http(), pollingInterval: 250 };
  if (CHAINS.includes(id)) chains.set(id, { read: createPublicClient(options), send: createWalletClient(options) });
}
/** @type {Map<string, bigint>} One dollar in raw units, by dollar token. */
const dollars = new Map();
const keyOf = (/** @type {{ chainId: number, token: string }} */ { chainId, token }) => `${chainId}:${token.toLowerCase()}`;
for (const { chainId, address, symbol, decimals } of await get(`/v1/tokens/top?chainIds=${CHAINS}`)) {
  if (['USDC', 'USDT'].includes(symbol)) dollars.set(keyOf({ chainId, token: address }), 10n ** BigInt(decimals));
}
/** The escrow and the settler, the same on all chains. It uses no others. */
const { contract: { assetReserves, gateway } } = await get('/v1/config/hub');

/** @param {bigint} amount @param {string} from @param {string} to */
function price(amount, from, to) {
  const [one, other] = [dollars.get(from), dollars.get(to)];
  return one && other ? (amount * (1_000_000n - spread) / 1_000_000n) * other / one : undefined;
}

/** @param {any} ask */
function quote(ask) {
  const [from, to] = [keyOf(ask.from), keyOf(ask.to)];
  const one = dollars.get(from);
  /** @param {string} code @param {object} [more] */
  const refuse = (code, more) => ({ refusal: { code, ...more } });
  if (!one || !dollars.has(to)) return refuse('PairNotServed');
  if (ask.tradeType !== 'EXACT_INPUT') return refuse('Other', { reason: 'exact inputs only' });
  if (typeof ask.amount !== 'string' || !/^\d+$/.test(ask.amount)) throw new SyntaxError('amount is a string of digits');
  const amount = BigInt(ask.amount);
  if (amount < one) return refuse('TooSmall', { minimum: String(one) });
  if (amount > 10_000n * one) return refuse('TooLarge', { maximum: String(10_000n * one) });
  const own = amount - amount * BigInt(ask.referral?.feeBps ?? 0) / 10_000n;
  const side = (/** @type {any} */ { chainId, token }) => ({ chainId, token });
  return {
    offers: [{
      from: side(ask.from), to: side(ask.to), amountIn: ask.amount, amountOut: String(price(own, from, to)),
      validBefore: new Date(Date.now() + 30_000).toISOString(), expectedDurationSeconds: 10,
      filler: account.address, payee: account.address,
    }],
  };
}

const address = (/** @type {`0x${string}`} */ word) => slice(word, 12);

/** Checks everything by which it could lose: a late fill, another payee, unknown contracts, a worse price. @param {any} terms */
function rejection(terms) {
  const own = pad(account.address).toLowerCase();
  const escrow = assetReserves[terms.originChainId];
  const from = keyOf({ chainId: terms.originChainId, token: address(terms.inputToken) });
  const to = keyOf({ chainId: terms.destinationChainId, token: address(terms.outputToken) });
  const offered = price(BigInt(terms.amountIn) - BigInt(terms.referrerFee), from, to);
  if (Number(terms.fillDeadline) < Date.now() / 1000 + 60) return 'the fill deadline is too close';
  if (terms.filler !== own || terms.payee !== own) return 'the filler or payee is another account';
  if (!escrow || !isAddressEqual(address(terms.escrow), escrow) || !isAddressEqual(address(terms.settler), gateway)) return 'unknown contracts';
  if (!offered || BigInt(terms.amountOut) > offered) return 'the price is worse than the offer';
  return undefined;
}

/** @type {Map<string, object>} The response to each order: the service may repeat an order. */
const responses = new Map();

/** @param {any} notice */
function order({ intentId, orderId, terms, attestations }) {
  const values = FIELDS.map(([kind, name]) => (kind === 'uint256' ? BigInt(terms[name]) : terms[name]));
  const data = encodeAbiParameters(FIELDS.map(([type]) => ({ type })), values);
  if (keccak256(concat([keccak256(toHex(TYPE)), data])) !== intentId) throw new SyntaxError('the terms do not hash to the id');
  const known = responses.get(intentId);
  if (known) return known;
  const reason = rejection(terms);
  const answer = reason ? { status: 'declined', reason } : { status: 'accepted' };
  responses.set(intentId, answer);
  if (!reason) {
    fillAndClaim(intentId, terms, data, attestations)
      .then(() => console.error(`order ${orderId}: claimed`), (error) => console.error(`order ${orderId}:`, error));
  }
  return answer;
}

/** @type {Promise<unknown>} */
let last = Promise.resolve();

/** Runs one at a time: transactions share the account's nonces, and fills of one token its allowance. @param {() => Promise<void>} work */
function sequentially(work) {
  const result = last.then(work);
  last = result.catch(() => {});
  return result;
}

/** @param {number} chain @param {`0x${string}`} word @param {string} functionName @param {unknown[]} args */
async function send(chain, word, functionName, args) {
  const { read, send: wallet } = chains.get(chain);
  const { request } = await read.simulateContract({ account, address: address(word), abi: ABI, functionName, args });
  const { status } = await read.waitForTransactionReceipt({ hash: await wallet.writeContract(request) });
  if (status !== 'success') throw new Error(`${functionName} reverted`);
}

/** @param {string} id @param {any} terms @param {`0x${string}`} data @param {string} attestations */
async function fillAndClaim(id, terms, data, attestations) {
  const [origin, destination] = [Number(terms.originChainId), Number(terms.destinationChainId)];
  const statusCall = { address: address(terms.escrow), abi: ABI, functionName: 'status', args: [id] };
  if (await chains.get(origin).read.readContract(statusCall) !== 1) throw new Error('the escrow does not hold the deposit');
  await sequentially(async () => {
    await send(destination, terms.outputToken, 'approve', [address(terms.settler), BigInt(terms.amountOut)]);
    await send(destination, terms.settler, 'fill', [id, data, '0x']);
  });
  // The attesters sign when the fill is in a final block.
  let answer;
  do {
    await sleep(1_000);
    answer = await fetch(attestations);
  } while (!answer.ok);
  const { filledAt, fillRef, signatures } = /** @type {any} */ (await answer.json());
  await sequentially(() => send(origin, terms.escrow, 'claim', [terms, BigInt(filledAt), fillRef, signatures]));
}

/** @param {string} text */
const sign = (text) => createHmac('sha256', secret).update(text).digest();

/** @type {Map<string, number>} Unix time of each nonce, oldest first. */
const nonces = new Map();

/** Authenticates a call; returns the problem, if there is one. @param {import('node:http').IncomingMessage} call @param {string} body */
function authenticate({ headers, url }, body) {
  const [timestamp, nonce, signature] = ['timestamp', 'nonce', 'signature'].map((name) => String(headers[`x-causeway-${name}`] ?? ''));
  const now = Math.floor(Date.now() / 1000);
  if (!/^\d+$/.test(timestamp) || Math.abs(Number(timestamp) - now) > WINDOW) return 'the timestamp is missing or outside the window';
  const given = Buffer.from(signature, 'hex');
  const expected = sign(['request', timestamp, nonce, 'POST', url, body].join('\n'));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'the signature is invalid';
  for (const [old, at] of nonces) {
    if (now - at <= 2 * WINDOW) break;
    nonces.delete(old);
  }
  if (nonces.has(nonce)) return 'the nonce was used before';
  nonces.set(nonce, now);
  return undefined;
}

/** @type {Record<string, (body: any) => object>} */
const calls = { '/quote': quote, '/orders': order };

const server = createServer(async (call, response) => {
  /** @param {number} status @param {object} answer */
  const respond = (status, answer) => {
    const text = JSON.stringify(answer);
    const signature = sign(['answer', call.headers['x-causeway-nonce'], status, text].join('\n')).toString('hex');
    response.writeHead(status, { 'content-type': 'application/json', 'x-causeway-signature': signature }).end(text);
  };
  try {
    const parts = [];
    let size = 0;
    for await (const part of call) {
      size += part.length;
      if (size > MAX_BODY_BYTES) return void response.writeHead(413, { connection: 'close' }).end();
      parts.push(part);
    }
    const body = Buffer.concat(parts).toString();
    const answer = call.method === 'POST' ? calls[call.url ?? ''] : undefined;
    if (!answer) return respond(404, { error: 'POST /quote or POST /orders' });
    const problem = authenticate(call, body);
    if (problem) return respond(401, { error: problem });
    respond(200, answer(JSON.parse(body)));
  } catch (error) {
    respond(400, { error: String(error) });
  }
});
// Longer than the idle timeout of the service's connections.
server.keepAliveTimeout = 60_000;
const [host, port] = env('FILLER_LISTEN').split(':');
server.listen(Number(port), host, () => {
  const { port: boundPort } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`${account.address} fills at http://${host}:${boundPort}`);
});
