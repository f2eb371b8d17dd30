// Swaps from or to Solana, with @solana/kit wallets.
import assert from 'node:assert/strict';
import * as kit from '@solana/kit';
import { ATA, SYSTEM, TOKEN, transferCheckedData, transferData } from './solana.js';
import { eventually, methodsOf } from './swaps.js';

export const SOLANA = 20011000000;
export const SOL = 1_000_000_000n;

/** A new address. */
export const newAddress = async () => (await kit.generateKeyPairSigner()).address;

/** The transaction of a build. */
export const builtFor = ({ deposit }) => {
  assert.equal(deposit.approvals.length, 1, 'one approval');
  const [{ type, transaction, deposit: isDeposit }] = deposit.approvals;
  assert.deepEqual([type, isDeposit], ['solana_sendTransaction', true]);
  return Buffer.from(transaction, 'base64');
};

/** Decodes a transaction. */
export const decode = (wire) => kit.getTransactionDecoder().decode(wire);

/** Encodes a transaction. */
export const encode = (transaction) => Buffer.from(kit.getTransactionEncoder().encode(transaction));

/** Decodes the message of a transaction. */
export const messageOf = ({ messageBytes }) => kit.getCompiledTransactionMessageDecoder().decode(messageBytes);

/** Solana wallets for a `Causeway`. */
export class Solana {
  constructor(causeway) {
    this.causeway = causeway;
  }

  get rpc() {
    return kit.createSolanaRpc(`${this.causeway.chains}/sandbox/rpc/${SOLANA}`);
  }

  /** The mint of a well-known token by its symbol; `coin` is SOL. */
  async token(symbol) {
    if (symbol === 'coin') return SYSTEM;
    const tokens = await this.causeway.get(`/v1/tokens/top?chainIds=${SOLANA}`);
    const found = tokens.find((token) => token.symbol === symbol);
    assert.ok(found, `no ${symbol} on Solana`);
    return found.address;
  }

  async account(owner, mint) {
    const codec = kit.getAddressEncoder();
    const seeds = [codec.encode(owner), codec.encode(TOKEN), codec.encode(mint)];
    const [address] = await kit.getProgramDerivedAddress({ programAddress: ATA, seeds });
    return address;
  }

  /** The finalized balance in raw units; zero if there is no account. */
  async balance(mint, owner) {
    const commitment = 'finalized';
    if (mint === SYSTEM) return (await this.rpc.getBalance(owner, { commitment }).send()).value;
    const account = await this.account(owner, mint);
    const { value } = await this.rpc.getAccountInfo(account, { commitment, encoding: 'jsonParsed' }).send();
    return BigInt(value?.data.parsed.info.tokenAmount.amount ?? 0);
  }

  async fund(symbol, address, amount) {
    const token = await this.token(symbol);
    const had = await this.balance(token, address);
    const gift = { chainId: SOLANA, address, amount: String(amount), ...(symbol !== 'coin' && { token }) };
    await this.causeway.request('POST', '/sandbox/faucet', gift, this.causeway.chains);
    await eventually(() => this.balance(token, address), (has) => has >= had + amount, `a gift of ${symbol}`);
  }

  /** A new wallet with SOL and the given funds. */
  async payer(funds = {}) {
    const signer = await kit.generateKeyPairSigner();
    for (const [symbol, amount] of Object.entries({ coin: 10n * SOL, ...funds })) await this.fund(symbol, signer.address, amount);
    return signer;
  }

  /** Signs a built transaction. */
  async sign(signer, wire) {
    const [signatures] = await signer.signTransactions([decode(wire)]);
    const transaction = decode(wire);
    return encode({ ...transaction, signatures: { ...transaction.signatures, ...signatures } });
  }

  /** Signs the transaction and submits it to the service. */
  async pay(taken, signer) {
    const signed = await this.sign(signer, builtFor(taken));
    const { orderId, txHash } = await this.causeway.submit(taken, { signedTransaction: signed.toString('base64') });
    assert.equal(txHash, kit.getSignatureFromTransaction(decode(signed)));
    return orderId;
  }

  /** Sends a signed transaction directly to the chain. */
  async send(wire) {
    const text = wire.toString('base64');
    return this.rpc.sendTransaction(text, { encoding: 'base64', preflightCommitment: 'confirmed' }).send();
  }

  async finalized(signature) {
    const status = async () => (await this.rpc.getSignatureStatuses([signature]).send()).value[0];
    const found = await eventually(status, (status) => status?.confirmationStatus === 'finalized', 'a final transaction');
    return found;
  }

  /** Sends instructions signed by `signer`, and waits until they are finalized. */
  async run(signer, instructions) {
    const { value: latest } = await this.rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (empty) => kit.setTransactionMessageFeePayerSigner(signer, empty),
      (unbound) => kit.setTransactionMessageLifetimeUsingBlockhash(latest, unbound),
      (bare) => kit.appendTransactionMessageInstructions(instructions, bare),
    );
    const signed = await kit.signTransactionMessageWithSigners(message);
    const signature = await this.send(encode(signed));
    assert.equal((await this.finalized(signature)).err, null);
    return signature;
  }

  /** A plain transfer, as wallets and exchanges send it: it creates the receiver's token account. */
  async transfer(signer, mint, to, amount, decimals = 6) {
    const { AccountRole } = kit;
    if (mint === SYSTEM) {
      return this.run(signer, [{
        programAddress: SYSTEM, data: new Uint8Array(transferData(amount)),
        accounts: [{ address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer }, { address: to, role: AccountRole.WRITABLE }],
      }]);
    }
    const [source, destination] = await Promise.all([this.account(signer.address, mint), this.account(to, mint)]);
    const create = {
      programAddress: ATA, data: new Uint8Array([1]),
      accounts: [
        { address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer }, { address: destination, role: AccountRole.WRITABLE },
        { address: to, role: AccountRole.READONLY }, { address: mint, role: AccountRole.READONLY },
        { address: SYSTEM, role: AccountRole.READONLY }, { address: TOKEN, role: AccountRole.READONLY },
      ],
    };
    const move = {
      programAddress: TOKEN, data: new Uint8Array(transferCheckedData(amount, decimals)),
      accounts: [
        { address: source, role: AccountRole.WRITABLE }, { address: mint, role: AccountRole.READONLY },
        { address: destination, role: AccountRole.WRITABLE }, { address: signer.address, role: AccountRole.READONLY_SIGNER, signer },
      ],
    };
    return this.run(signer, [create, move]);
  }

  /** A quote from Solana, or from another chain with `from`; `to` is `[chain id, token]`. */
  async quoteAndBuild(signer, symbol, to, amount, { asked, built } = {}) {
    const quote = await this.quote(signer, symbol, to, amount, { ...methodsOf(built), ...asked });
    const [route] = quote.routes;
    const deposit = await this.causeway.build(signer, quote, built, route);
    return { account: signer, chainId: SOLANA, quote, route: route.routeId, offer: route.quote, deposit };
  }

  async quote(signer, symbol, [toChainId, toToken], amount, asked = {}) {
    return this.causeway.request('POST', '/v1/quotes', {
      tradeType: 'EXACT_INPUT', fromChainId: SOLANA, fromToken: await this.token(symbol), toChainId, toToken,
      amount: String(amount), fromAddress: signer.address, ...asked,
    });
  }
}
