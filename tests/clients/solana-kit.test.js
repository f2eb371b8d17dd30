import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as kit from '@solana/kit';
import { ATA, SYSTEM, TOKEN, USDC, privateKey, transferCheckedData, transferData, until, url } from './solana.js';

test('@solana/kit transfers SOL and USDC and reads the balances', { timeout: 120_000 }, async () => {
  const rpc = kit.createSolanaRpc(url);
  assert.equal(await rpc.getHealth().send(), 'ok');
  assert.equal(await rpc.getGenesisHash().send(), '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d');
  await rpc.getVersion().send();
  const alice = await kit.createKeyPairSignerFromPrivateKeyBytes(privateKey(0));
  const fresh = await kit.generateKeyPairSigner();
  assert.equal(alice.address, 'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96');

  const confirm = (signature, wanted = ['confirmed', 'finalized']) =>
    until(`${signature} to be ${wanted}`, async () => {
      const { value } = await rpc.getSignatureStatuses([signature]).send();
      if (value[0]?.err) throw new Error(`failed: ${JSON.stringify(value[0].err)}`);
      return wanted.includes(value[0]?.confirmationStatus) && value[0];
    });
  const send = async (signer, instructions, version = 0) => {
    const { value: latest } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    const message = kit.pipe(
      kit.createTransactionMessage({ version }),
      (m) => kit.setTransactionMessageFeePayerSigner(signer, m),
      (m) => kit.setTransactionMessageLifetimeUsingBlockhash(latest, m),
      (m) => kit.appendTransactionMessageInstructions(instructions, m),
    );
    const signed = await kit.signTransactionMessageWithSigners(message);
    const wire = kit.getBase64EncodedWireTransaction(signed);
    const simulated = await rpc.simulateTransaction(wire, { encoding: 'base64', commitment: 'confirmed' }).send();
    assert.equal(simulated.value.err, null, JSON.stringify(simulated.value, (_, v) => typeof v === 'bigint' ? `${v}` : v));
    const sent = await rpc.sendTransaction(wire, { encoding: 'base64', preflightCommitment: 'confirmed' }).send();
    assert.equal(sent, kit.getSignatureFromTransaction(signed));
    return sent;
  };
  const transfer = (from, to, lamports) => ({
    programAddress: SYSTEM,
    accounts: [
      { address: from.address, role: kit.AccountRole.WRITABLE_SIGNER, signer: from },
      { address: to, role: kit.AccountRole.WRITABLE },
    ],
    data: new Uint8Array(transferData(lamports)),
  });

  const drop = await rpc.requestAirdrop(fresh.address, kit.lamports(2_000_000_000n)).send();
  await confirm(drop);
  const balance = await rpc.getBalance(fresh.address, { commitment: 'confirmed' }).send();
  assert.equal(balance.value, 2_000_000_000n);

  const paid = await send(fresh, [transfer(fresh, alice.address, 500_000_000n)]);
  await confirm(paid);
  await confirm(paid, ['finalized']);
  assert.equal((await rpc.getBalance(fresh.address).send()).value, 1_499_995_000n);
  const shown = await rpc
    .getTransaction(paid, { commitment: 'confirmed', encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 })
    .send();
  assert.equal(shown.meta.fee, 5000n);
  assert.equal(shown.version, 0);
  assert.equal(shown.transaction.message.instructions[0].parsed.type, 'transfer');

  const pda = async (owner) =>
    (await kit.getProgramDerivedAddress({
      programAddress: ATA,
      seeds: [owner, TOKEN, USDC].map((key) => kit.getAddressEncoder().encode(key)),
    }))[0];
  const [from, to] = [await pda(alice.address), await pda(fresh.address)];
  const moved = await send(alice, [
    {
      programAddress: ATA,
      accounts: [
        { address: alice.address, role: kit.AccountRole.WRITABLE_SIGNER, signer: alice },
        { address: to, role: kit.AccountRole.WRITABLE },
        { address: fresh.address, role: kit.AccountRole.READONLY },
        { address: USDC, role: kit.AccountRole.READONLY },
        { address: SYSTEM, role: kit.AccountRole.READONLY },
        { address: TOKEN, role: kit.AccountRole.READONLY },
      ],
      data: new Uint8Array([1]),
    },
    {
      programAddress: TOKEN,
      accounts: [
        { address: from, role: kit.AccountRole.WRITABLE },
        { address: USDC, role: kit.AccountRole.READONLY },
        { address: to, role: kit.AccountRole.WRITABLE },
        { address: alice.address, role: kit.AccountRole.READONLY_SIGNER, signer: alice },
      ],
      data: new Uint8Array(transferCheckedData(1_234_567n, 6)),
    },
  ]);
  await confirm(moved);
  const held = await rpc
    .getTokenAccountsByOwner(fresh.address, { mint: USDC }, { commitment: 'confirmed', encoding: 'jsonParsed' })
    .send();
  assert.equal(held.value.length, 1);
  assert.equal(held.value[0].pubkey, to);
  assert.equal(held.value[0].account.data.parsed.info.tokenAmount.uiAmountString, '1.234567');
  const amount = await rpc.getTokenAccountBalance(to, { commitment: 'confirmed' }).send();
  assert.equal(amount.value.amount, '1234567');
  const history = await rpc.getSignaturesForAddress(fresh.address, { commitment: 'confirmed', limit: 10 }).send();
  assert.deepEqual(history.map((entry) => entry.signature), [moved, paid, drop]);
  const mint = await rpc.getAccountInfo(USDC, { encoding: 'jsonParsed' }).send();
  assert.equal(mint.value.data.parsed.info.decimals, 6);
  const packed = await rpc.getAccountInfo(USDC, { encoding: 'base64+zstd' }).send();
  assert.equal(packed.value.data[1], 'base64+zstd');
  await rpc.getEpochInfo().send();
  const { value: latest } = await rpc.getLatestBlockhash().send();
  assert.equal((await rpc.isBlockhashValid(latest.blockhash).send()).value, true);

  const error = await rpc
    .sendTransaction('AAAA', { encoding: 'base64' })
    .send()
    .catch((caught) => caught);
  assert.ok(kit.isSolanaError(error, kit.SOLANA_ERROR__JSON_RPC__INVALID_PARAMS), String(error));
  const poor = await kit.generateKeyPairSigner();
  const { value: hash } = await rpc.getLatestBlockhash().send();
  const broke = await kit.signTransactionMessageWithSigners(
    kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      (m) => kit.setTransactionMessageFeePayerSigner(poor, m),
      (m) => kit.setTransactionMessageLifetimeUsingBlockhash(hash, m),
      (m) => kit.appendTransactionMessageInstructions([transfer(poor, alice.address, 1n)], m),
    ),
  );
  const refused = await rpc
    .sendTransaction(kit.getBase64EncodedWireTransaction(broke), { encoding: 'base64' })
    .send()
    .catch((caught) => caught);
  assert.ok(
    kit.isSolanaError(refused, kit.SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE),
    String(refused),
  );
  assert.ok(kit.isSolanaError(refused.cause, kit.SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND), String(refused.cause));
});
