import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { createPublicClient, createWalletClient, defineChain, erc20Abi, getAddress, http, zeroAddress } from 'viem';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';

const PHRASE = 'test test test test test test test test test test test junk';
const ENDS = ['filled', 'refunded', 'failed'];

/** Raw units of the tokens with six decimals. */
export const DOLLARS = 1_000_000n;

/** How long an order may take before a test gives up on it. */
const PATIENCE = 150_000;

/** An error that the service answered. */
export class Refused extends Error {
  constructor(status, { name, message, details }) {
    super(message);
    Object.assign(this, { status, name, details });
  }
}

/** Demands a refusal by its status, its name and what it says; `code` is the `errorCode` among its details. */
export async function refuses(promise, status, name, { code, says } = {}) {
  const refused = await promise.then((answer) => assert.fail(`taken: ${JSON.stringify(answer)}`), (error) => error);
  assert.ok(refused instanceof Refused, refused);
  assert.deepEqual([refused.status, refused.name], [status, name], refused.message);
  if (code) assert.equal(refused.details?.errorCode, code, refused.message);
  if (says) assert.match(refused.message, says);
  return refused;
}

/** As `refuses`, for what is well-formed but cannot be. */
export const refused = (promise, more) => refuses(promise, 400, 'BadRequestException', more);

const known = (addressIndex) => mnemonicToAccount(PHRASE, { addressIndex });

/** The sandbox's fillers: the account that pays, and the one that is paid. */
export const FILLERS = { north: { hot: known(16), payee: known(17) }, south: { hot: known(18), payee: known(19) } };

/** A fresh address that nobody uses otherwise. */
export const nobody = () => privateKeyToAccount(generatePrivateKey()).address;

/** The transaction that a build wants as the deposit. */
export const depositOf = ({ deposit }) => deposit.approvals.at(-1).request.params[0];

/** Asks until the answer is one that `wanted` likes. */
export async function eventually(ask, wanted, what) {
  const until = Date.now() + PATIENCE;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (Date.now() > until) assert.fail(`${what} did not happen; last: ${inspect(answer)}`);
    await sleep(200);
  }
}

/** A service, the sandbox's chains behind it (at the same address, or at their own), and stock viem wallets on them. */
export class Causeway {
  #chains = new Map();
  #tokens = new Map();

  constructor(url, chains = url) {
    Object.assign(this, { url, chains });
  }

  async ask(method, path, body, base = this.url) {
    const response = await fetch(base + path, {
      method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    const answer = await response.json();
    if (!response.ok) throw new Refused(response.status, answer);
    return answer;
  }

  get(path) {
    return this.ask('GET', path);
  }

  control(chainId, action, values) {
    return this.ask('POST', `/sandbox/control/${chainId}`, { action, ...values }, this.chains);
  }

  /** The chain's time jumps there, in blocks that stand. */
  async moveTime(chainId, timestamp) {
    await this.control(chainId, 'setTime', { timestamp });
    await this.control(chainId, 'mine', { blocks: 4 });
  }

  #options(chainId) {
    const url = `${this.chains}/sandbox/rpc/${chainId}`;
    const chain = defineChain({
      id: chainId, name: `sandbox ${chainId}`, rpcUrls: { default: { http: [url] } },
      nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    });
    return { chain, transport: http(url), pollingInterval: 100 };
  }

  read(chainId) {
    if (!this.#chains.has(chainId)) this.#chains.set(chainId, createPublicClient(this.#options(chainId)));
    return this.#chains.get(chainId);
  }

  wallet(chainId, account) {
    return createWalletClient({ ...this.#options(chainId), account });
  }

  receipt(chainId, hash) {
    return this.read(chainId).waitForTransactionReceipt({ hash });
  }

  /** The address of a well-known token by its symbol; `coin` is the chain's own. */
  async token(chainId, symbol) {
    if (symbol === 'coin') return zeroAddress;
    if (!this.#tokens.has(chainId)) this.#tokens.set(chainId, this.get(`/v1/tokens/top?chainIds=${chainId}`));
    const found = (await this.#tokens.get(chainId)).find((token) => token.symbol === symbol);
    assert.ok(found, `no ${symbol} on ${chainId}`);
    return found.address;
  }

  async balance(chainId, token, address) {
    if (token === zeroAddress) return this.read(chainId).getBalance({ address });
    return this.read(chainId).readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] });
  }

  async give(chainId, symbol, address, amount) {
    const gift = { chainId, address, token: await this.token(chainId, symbol), amount: String(amount) };
    const { txHash } = await this.ask('POST', '/sandbox/faucet', gift, this.chains);
    await this.receipt(chainId, txHash);
  }

  /** A fresh account with some of the chain's coin and what else is named. */
  async payer(chainId, funds = {}) {
    const account = privateKeyToAccount(generatePrivateKey());
    const all = Object.entries({ coin: 10n ** 18n, ...funds }).filter(([, amount]) => amount > 0n);
    await Promise.all(all.map(([symbol, amount]) => this.give(chainId, symbol, account.address, amount)));
    return account;
  }

  async send(chainId, account, { to, data, value, gas }) {
    const terms = { to, data, value: BigInt(value ?? 0), gas: gas && BigInt(gas) };
    return this.wallet(chainId, account).sendTransaction(terms);
  }

  async transfer(chainId, account, token, to, amount) {
    const hash = token === zeroAddress
      ? await this.send(chainId, account, { to, value: amount })
      : await this.wallet(chainId, account).writeContract({ address: token, abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
    const { status } = await this.receipt(chainId, hash);
    assert.equal(status, 'success');
    return hash;
  }

  /** `from` and `to` are `[chain id, symbol or address]`. */
  async quote(account, from, to, amount, more = {}) {
    const token = ([chain, name]) => (name.startsWith('0x') ? name : this.token(chain, name));
    return this.ask('POST', '/v1/quotes', {
      tradeType: 'EXACT_INPUT', fromChainId: from[0], fromToken: await token(from), toChainId: to[0],
      toToken: await token(to), amount: String(amount), fromAddress: account.address, ...more,
    });
  }

  build(account, quote, more = {}, route = quote.routes[0]) {
    return this.ask('POST', '/v1/deposit/build', {
      quoteId: quote.quoteId, routeId: route.routeId, from: account.address, ...more,
    });
  }

  /** A quote and the deposit of its best route. */
  async take(account, from, to, amount, { asked, built } = {}) {
    const quote = await this.quote(account, from, to, amount, asked);
    const [route] = quote.routes;
    const deposit = await this.build(account, quote, built, route);
    return { account, chainId: from[0], quote, route: route.routeId, offer: route.quote, deposit };
  }

  submit({ quote, route }, proof) {
    return this.ask('PUT', '/v1/deposit/submit', { quoteId: quote.quoteId, routeId: route, ...proof });
  }

  /** Does what the build asks of a wallet, in order; the last hash is the deposit's, where one is asked for. */
  async walk({ account, chainId, deposit }) {
    const hashes = [];
    for (const { type, request, waitForReceipt } of deposit.approvals ?? []) {
      assert.equal(type, 'eip1193_request');
      const [params] = request.params;
      assert.equal(Number(params.chainId), chainId);
      if (request.method === 'wallet_switchEthereumChain') continue;
      assert.equal(request.method, 'eth_sendTransaction');
      assert.equal(getAddress(params.from), account.address);
      hashes.push(await this.send(chainId, account, params));
      if (waitForReceipt) assert.equal((await this.receipt(chainId, hashes.at(-1))).status, 'success');
    }
    return hashes;
  }

  /** The deposit's transaction with the nonce and the fees that the wallet chooses. */
  prepare(swap) {
    const { to, data, value } = depositOf(swap);
    return this.wallet(swap.chainId, swap.account).prepareTransactionRequest({ to, data, value: BigInt(value) });
  }

  /** The deposit, signed and not sent. */
  async sign(swap) {
    return this.wallet(swap.chainId, swap.account).signTransaction(await this.prepare(swap));
  }

  /** Deposits as a dApp does: approve, deposit, submit. */
  async pay(swap) {
    const hashes = await this.walk(swap);
    const { orderId, txHash } = await this.submit(swap, { txHash: hashes.at(-1) });
    assert.equal(txHash, hashes.at(-1));
    return orderId;
  }

  /** The order once it has the status; another end is a failure at once. */
  async until(orderId, status) {
    const path = `/v1/orders/by-id/${orderId}`;
    const order = await eventually(() => this.get(path), (order) => order.status === status || ENDS.includes(order.status), status);
    assert.equal(order.status, status, JSON.stringify(order, null, 1));
    return order;
  }

  /** From quote to `filled`, as a dApp does. */
  async swap(...terms) {
    const swap = await this.take(...terms);
    return { ...swap, order: await this.until(await this.pay(swap), 'filled') };
  }

  async intent(id, state) {
    return eventually(() => this.get(`/v1/intent/${id}`), (intent) => intent.state === state, state);
  }

  async escrow(chainId) {
    this.hub ??= this.get('/v1/config/hub');
    return (await this.hub).contract.assetReserves[chainId];
  }
}

/** The service that all tests of this folder share. */
export const shared = () => new Causeway(process.env.CAUSEWAY_URL ?? 'http://127.0.0.1:8080');
