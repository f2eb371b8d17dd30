import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as web3 from '@solana/web3.js';
import { ATA, SYSTEM, TOKEN, USDC, privateKey, transferCheckedData, until, url } from './solana.js';

test('@solana/web3.js transfers SOL and USDC, uses a lookup table and reads the balances', { timeout: 120_000 }, async () => {
  const connection = new web3.Connection(url, 'confirmed');
  const bob = web3.Keypair.fromSeed(privateKey(1));
  const fresh = web3.Keypair.generate();
  const confirm = (signature) =>
    until(`${signature}`, async () => {
      const { value } = await connection.getSignatureStatus(signature);
      if (value?.err) throw new Error(`failed: ${JSON.stringify(value.err)}`);
      return ['confirmed', 'finalized'].includes(value?.confirmationStatus);
    });
  const send = async (signer, ...instructions) => {
    const latest = await connection.getLatestBlockhash();
    const transaction = new web3.Transaction({ feePayer: signer.publicKey, ...latest }).add(...instructions);
    const fee = await connection.getFeeForMessage(transaction.compileMessage());
    assert.equal(fee.value, 5000);
    transaction.sign(signer);
    const signature = await connection.sendRawTransaction(transaction.serialize());
    await confirm(signature);
    return signature;
  };
  await confirm(await connection.requestAirdrop(fresh.publicKey, web3.LAMPORTS_PER_SOL));
  assert.equal(await connection.getBalance(fresh.publicKey), web3.LAMPORTS_PER_SOL);
  const paid = await send(
    fresh,
    web3.SystemProgram.transfer({ fromPubkey: fresh.publicKey, toPubkey: bob.publicKey, lamports: 250_000_000 }),
  );
  assert.equal(await connection.getBalance(fresh.publicKey), 749_995_000);
  const shown = await connection.getTransaction(paid, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 });
  assert.equal(shown.meta.fee, 5000);
  const parsed = await connection.getParsedTransaction(paid, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 });
  assert.equal(parsed.transaction.message.instructions[0].parsed.info.lamports, 250_000_000);

  const key = (text) => new web3.PublicKey(text);
  const pda = (owner) =>
    web3.PublicKey.findProgramAddressSync([owner, key(TOKEN), key(USDC)].map((k) => k.toBuffer()), key(ATA))[0];
  const meta = (pubkey, isSigner, isWritable) => ({ pubkey, isSigner, isWritable });
  const to = pda(fresh.publicKey);
  await send(
    bob,
    new web3.TransactionInstruction({
      programId: key(ATA),
      keys: [
        meta(bob.publicKey, true, true), meta(to, false, true), meta(fresh.publicKey, false, false),
        meta(key(USDC), false, false), meta(key(SYSTEM), false, false), meta(key(TOKEN), false, false),
      ],
      data: Buffer.from([1]),
    }),
    new web3.TransactionInstruction({
      programId: key(TOKEN),
      keys: [
        meta(pda(bob.publicKey), false, true), meta(key(USDC), false, false), meta(to, false, true),
        meta(bob.publicKey, true, false),
      ],
      data: transferCheckedData(42n, 6),
    }),
  );
  const held = await connection.getParsedTokenAccountsByOwner(fresh.publicKey, { programId: key(TOKEN) });
  assert.equal(held.value[0].account.data.parsed.info.tokenAmount.amount, '42');
  assert.equal((await connection.getTokenAccountBalance(to)).value.amount, '42');
  assert.equal((await connection.getTokenAccountsByOwner(fresh.publicKey, { mint: key(USDC) })).value.length, 1);
  assert.equal((await connection.getMultipleAccountsInfo([to, fresh.publicKey])).length, 2);
  assert.equal(await connection.getMinimumBalanceForRentExemption(165), 2_039_280);
  assert.equal((await connection.getSignaturesForAddress(fresh.publicKey)).length, 3);
  assert.equal((await connection.getTokenSupply(key(USDC))).value.decimals, 6);
  const accounts = await connection.getProgramAccounts(key(TOKEN), {
    filters: [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: fresh.publicKey.toBase58() } }],
  });
  assert.equal(accounts.length, 1);
  const slot = await connection.getSlot();
  const block = await connection.getBlock(slot, { maxSupportedTransactionVersion: 0 });
  assert.equal(block.parentSlot, slot - 1);
  assert.ok(Math.abs((await connection.getBlockTime(slot)) - Date.now() / 1000) < 60);
  await connection.getEpochInfo();
  await connection.getVersion();
  await connection.getRecentPrioritizationFees();

  // A versioned transaction with a lookup table, which must be created, extended and activated first.
  const [create, table] = web3.AddressLookupTableProgram.createLookupTable({
    authority: bob.publicKey, payer: bob.publicKey, recentSlot: await connection.getSlot('finalized'),
  });
  const extend = web3.AddressLookupTableProgram.extendLookupTable({
    payer: bob.publicKey, authority: bob.publicKey, lookupTable: table, addresses: [fresh.publicKey],
  });
  await send(bob, create, extend);
  const { value: lookup } = await connection.getAddressLookupTable(table);
  const { blockhash } = await connection.getLatestBlockhash();
  const message = new web3.TransactionMessage({
    payerKey: bob.publicKey, recentBlockhash: blockhash,
    instructions: [web3.SystemProgram.transfer({ fromPubkey: bob.publicKey, toPubkey: fresh.publicKey, lamports: 7 })],
  }).compileToV0Message([lookup]);
  assert.equal(message.addressTableLookups.length, 1);
  const versioned = new web3.VersionedTransaction(message);
  versioned.sign([bob]);
  const looked = await connection.sendTransaction(versioned);
  await confirm(looked);
  const found = await connection.getTransaction(looked, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 });
  assert.equal(found.meta.loadedAddresses.writable[0].toBase58(), fresh.publicKey.toBase58());
  await assert.rejects(
    () => connection.getTransaction(looked, { commitment: 'confirmed' }),
    /maxSupportedTransactionVersion/,
  );
  assert.equal((await connection.getSignaturesForAddress(fresh.publicKey, { limit: 1 }))[0].signature, looked);

  const poor = web3.Keypair.generate();
  const failing = new web3.Transaction({ feePayer: poor.publicKey, ...(await connection.getLatestBlockhash()) });
  failing.add(web3.SystemProgram.transfer({ fromPubkey: poor.publicKey, toPubkey: bob.publicKey, lamports: 1 }));
  failing.sign(poor);
  await assert.rejects(
    () => connection.sendRawTransaction(failing.serialize()),
    /Attempt to debit an account but found no record of a prior credit/,
  );
});
