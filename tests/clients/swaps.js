import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { createPublicClient, createWalletClient, defineChain, erc20Abi, getAddress, http, zeroAddress } from 'viem';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';

const PHRASE = 'test test test test test test test test test test test junk';
const TERMINAL = ['filled', 'refunded', 'failed'];

/** Raw units of the tokens with six decimals. */
export const DOLLARS = 1_000_000n;

/** How long an order may take, in milliseconds. */
const TIMEOUT = 150_000;

/** An error response of the service. */
export class ApiError extends Error {
  constructor(status, { name, message, details }) {
    super(message);
    Object.assign(this, { status, name, details });
  }
}

/** Asserts an error by its status, name and message; `code` is the `errorCode` in its details. */
export async function rejects(promise, status, name, { code, message } = {}) {
  const error = await promise.then((answer) => assert.fail(`expected an error, got ${JSON.stringify(answer)}`), (rejection) => rejection);
  assert.ok(error instanceof ApiError, error);
  assert.deepEqual([error.status, error.name], [status, name], error.message);
  if (code) assert.equal(error.details?.errorCode, code, error.message);
  if (message) assert.match(error.message, message);
  return error;
}

/** Asserts a `BadRequestException`. */
export const rejectsBadRequest = (promise, expected) => rejects(promise, 400, 'BadRequestException', expected);

const accountAt = (addressIndex) => mnemonicToAccount(PHRASE, { addressIndex });

/** The sandbox's fillers: the hot account that fills, and the payee. */
export const FILLERS = { north: { hot: accountAt(16), payee: accountAt(17) }, south: { hot: accountAt(18), payee: accountAt(19) } };

/** A new address. */
export const newAddress = () => privateKeyToAccount(generatePrivateKey()).address;

/** The deposit transaction of a build. */
export const depositOf = ({ deposit }) => deposit.approvals.at(-1).request.params[0];

/** Polls until `accept` returns true for the result. */
export async function eventually(poll, accept, what) {
  const deadline = Date.now() + TIMEOUT;
  for (;;) {
    const result = await poll();
    if (accept(result)) return result;
    if (Date.now() > deadline) assert.fail(`timed out waiting for ${what}; last: ${inspect(result)}`);
    await sleep(200);
  }
}

/** The deposit method of a build, as a quote request names it: each method has a price of its own. */
export const methodsOf = (built) => (built?.depositMethod ? { depositMethods: [built.depositMethod] } : {});

/** A service and the sandbox's chains (at the same or another URL), with viem wallets. */
export class Causeway {
  #chains = new Map();
  #tokens = new Map();

  constructor(url, chains = url) {
    Object.assign(this, { url, chains });
  }

  async request(method, path, body, base = this.url) {
    const response = await fetch(base + path, {
      method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const answer = await response.json();
    if (!response.ok) throw new ApiError(response.status, answer);
    return answer;
  }

  get(path) {
    return this.request('GET', path);
  }

  control(chainId, action, values) {
    return this.request('POST', `/sandbox/control/${chainId}`, { action, ...values }, this.chains);
  }

  /** Sets the time of the chain, and mines until it is final. */
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

  /** The address of a well-known token by its symbol; `coin` is the native coin. */
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

  async fund(chainId, symbol, address, amount) {
    const request = { chainId, address, token: await this.token(chainId, symbol), amount: String(amount) };
    const { txHash } = await this.request('POST', '/sandbox/faucet', request, this.chains);
    await this.receipt(chainId, txHash);
  }

  /** An account, by default a new one, with the native coin and the given funds. */
  async payer(chainId, funds = {}, account = privateKeyToAccount(generatePrivateKey())) {
    const all = Object.entries({ coin: 10n ** 18n, ...funds }).filter(([, amount]) => amount > 0n);
    await Promise.all(all.map(([symbol, amount]) => this.fund(chainId, symbol, account.address, amount)));
    return account;
  }

  /** With gas to spare, as wallets send: a deposit takes more where the escrow holds nothing of its token when it is mined. */
  async send(chainId, account, { to, data, value, gas }) {
    const terms = { to, data, value: BigInt(value ?? 0) };
    const estimate = async () => (await this.read(chainId).estimateGas({ account: account.address, ...terms })) * 5n / 4n;
    return this.wallet(chainId, account).sendTransaction({ ...terms, gas: gas ? BigInt(gas) : await estimate() });
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
    return this.request('POST', '/v1/quotes', {
      tradeType: 'EXACT_INPUT', fromChainId: from[0], fromToken: await token(from), toChainId: to[0],
      toToken: await token(to), amount: String(amount), fromAddress: account.address, ...more,
    });
  }

  build(account, quote, more = {}, route = quote.routes[0]) {
    return this.request('POST', '/v1/deposit/build', {
      quoteId: quote.quoteId, routeId: route.routeId, from: account.address, ...more,
    });
  }

  /** Requests a quote and builds the deposit of its best route. */
  async quoteAndBuild(account, from, to, amount, { asked, built } = {}) {
    const quote = await this.quote(account, from, to, amount, { ...methodsOf(built), ...asked });
    const [route] = quote.routes;
    const deposit = await this.build(account, quote, built, route);
    return { account, chainId: from[0], quote, route: route.routeId, filler: route.filler, offer: route.quote, deposit };
  }

  submit({ quote, route }, proof) {
    return this.request('PUT', '/v1/deposit/submit', { quoteId: quote.quoteId, routeId: route, ...proof });
  }

  /** Sends the transactions of a build, in order; the last hash is that of the deposit, if there is one. */
  async sendTransactions({ account, chainId, deposit }) {
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

  /** Prepares the deposit transaction with the nonce and fees of the wallet. */
  prepare(swap) {
    const { to, data, value } = depositOf(swap);
    return this.wallet(swap.chainId, swap.account).prepareTransactionRequest({ to, data, value: BigInt(value) });
  }

  /** Signs the deposit without sending it. */
  async sign(swap) {
    return this.wallet(swap.chainId, swap.account).signTransaction(await this.prepare(swap));
  }

  /** Deposits as a dApp does: approve, deposit, submit. */
  async pay(swap) {
    const hashes = await this.sendTransactions(swap);
    const { orderId, txHash } = await this.submit(swap, { txHash: hashes.at(-1) });
    assert.equal(txHash, hashes.at(-1));
    return orderId;
  }

  /** Waits until the order has the status; fails on another terminal status. */
  async until(orderId, status) {
    const path = `/v1/orders/by-id/${orderId}`;
    const order = await eventually(() => this.get(path), (order) => order.status === status || TERMINAL.includes(order.status), status);
    assert.equal(order.status, status, JSON.stringify(order, null, 1));
    return order;
  }

  /** Executes a swap from quote to `filled`, as a dApp does. */
  async swap(...terms) {
    const swap = await this.quoteAndBuild(...terms);
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

/** The service that the tests of this folder share. */
export const shared = () => new Causeway(process.env.CAUSEWAY_URL ?? 'http://127.0.0.1:8080');
