import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { concat } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { Account4337, ACCOUNT_7702, batchOf, callsOf, delegate, deploy, deployCode, entryPoint, Safe, safeContracts } from './accounts.js';
import { DOLLARS, eventually, newAddress, rejects, rejectsBadRequest, shared } from './swaps.js';

const causeway = shared();
const [FROM, TO] = [8453, 42161];
const AMOUNT = 25n * DOLLARS;
const pair = [[FROM, 'USDC'], [TO, 'USDC'], AMOUNT];
const key = () => privateKeyToAccount(generatePrivateKey());

/** A deposit of 25 USDC by this method, for a recipient that is an account with a key. */
const swapOf = (account, depositMethod, recipient = newAddress()) =>
  causeway.quoteAndBuild(account, ...pair, { asked: { recipient }, built: { depositMethod } });
const delivered = async (orderId, method) => {
  const order = await causeway.until(orderId, 'filled');
  assert.ok(await causeway.balance(TO, await causeway.token(TO, 'USDC'), order.recipient) > 0n, method);
};

/** What is submitted for a deposit by signature: the permit's, followed by the order's if that is signed as well. */
const signatureOf = async (sign, { permit, order }) => (order ? concat([await sign(permit), await sign(order)]) : sign(permit));

let contracts;
let deployer;
before(async () => {
  deployer = await causeway.payer(FROM);
  contracts = await safeContracts(causeway, FROM, deployer);
});

/** A Safe with 100 USDC, of two owners by default; it has coins only before it is deployed, when nobody knows that it is a contract. */
async function newSafe({ isDeployed = true, owners = [key(), key()] } = {}) {
  const safe = new Safe(causeway, FROM, contracts, owners);
  await causeway.fund(FROM, 'USDC', safe.address, 100n * DOLLARS);
  if (isDeployed) return safe.deploy();
  await causeway.fund(FROM, 'coin', safe.address, 10n ** 16n);
  return safe;
}

describe('a Safe of two owners without any coin', { timeout: 300_000 }, () => {
  test('deposits by a batch that its owners propose', async () => {
    const safe = await newSafe();
    const swap = await swapOf(safe, 'CONTRACT_CALL');
    const txHash = await safe.execute(await safe.propose(callsOf(swap.deposit)));
    const { orderId } = await causeway.submit(swap, { txHash });
    await delivered(orderId, 'CONTRACT_CALL');
  });

  test('deposits by PERMIT2, and its signature is worth nothing for another order', async () => {
    const safe = await newSafe();
    const swap = await swapOf(safe, 'PERMIT2');
    await safe.execute(await safe.propose(callsOf(swap.deposit)));
    const signature = await safe.sign(swap.deposit.permit);
    const other = await swapOf(safe, 'PERMIT2');
    await rejectsBadRequest(causeway.submit(other, { signature }), { message: /GS02\d|does not accept/ });
    await rejectsBadRequest(causeway.submit(swap, { signature: `${signature.slice(0, -4)}0000` }), { message: /GS02\d|does not accept/ });
    const { orderId } = await causeway.submit(swap, { signature });
    assert.equal((await causeway.submit(swap, { signature })).orderId, orderId, 'submitted twice is once');
    await delivered(orderId, 'PERMIT2');
  });

  test('deposits by AUTHORIZATION, and its signature is worth nothing on another chain', async () => {
    const safe = await newSafe();
    const swap = await swapOf(safe, 'AUTHORIZATION');
    const signature = await safe.sign(swap.deposit.permit);
    // The same Safe at the same address of another chain.
    const there = { ...await safeContracts(causeway, 10, await causeway.payer(10, {}, deployer)) };
    const twin = new Safe(causeway, 10, there, safe.owners, safe.salt);
    await twin.deploy();
    await causeway.fund(10, 'USDC', twin.address, 100n * DOLLARS);
    const elsewhere = await causeway.quoteAndBuild(twin, [10, 'USDC'], [TO, 'USDC'], AMOUNT, { asked: { recipient: newAddress() }, built: { depositMethod: 'AUTHORIZATION' } });
    await rejectsBadRequest(causeway.submit(elsewhere, { signature }), { message: /signature|accept/ });
    const { orderId } = await causeway.submit(swap, { signature });
    await delivered(orderId, 'AUTHORIZATION');
  });

  test('deposits by PERMIT if it has one owner: a token takes 65 bytes', async () => {
    const safe = await newSafe({ owners: [key()] });
    const swap = await swapOf(safe, 'PERMIT');
    const signature = await signatureOf((data) => safe.sign(data), swap.deposit);
    await rejectsBadRequest(causeway.submit(await swapOf(safe, 'PERMIT'), { signature }), { message: /neither called nor signed/ });
    const { orderId } = await causeway.submit(swap, { signature });
    await delivered(orderId, 'PERMIT');
    const two = await newSafe();
    const other = await swapOf(two, 'PERMIT');
    const both = await signatureOf((data) => two.sign(data), other.deposit);
    await rejectsBadRequest(causeway.submit(other, { signature: both }), { message: /permit|signed/ });
  });

  test('has hours for a deposit that it asked for, and is told of them in the quote and the build', async () => {
    const safe = await newSafe();
    const asked = { recipient: newAddress(), depositWithin: 36_000 };
    const swap = await causeway.quoteAndBuild(safe, ...pair, { asked, built: { depositMethod: 'CONTRACT_CALL' } });
    const { validBefore, openUntil } = swap.quote.routes[0].quote;
    assert.equal(openUntil, validBefore + 36_000);
    assert.equal(Number(swap.deposit.terms.openDeadline), openUntil);
    assert.ok(Number(swap.deposit.terms.fillDeadline) > openUntil);
    assert.match(swap.deposit.summary.at(-1), /^The price holds until .+ UTC\. A deposit after that, until .+ UTC, is filled if .+, and returned if not\.$/);
    assert.ok(swap.quote.routes.every(({ depositMethods }) => !depositMethods.includes('TRANSFER')));
    const txHash = await safe.execute(await safe.propose(callsOf(swap.deposit)));
    const { orderId } = await causeway.submit(swap, { txHash });
    await delivered(orderId, 'CONTRACT_CALL');
    // What it does not ask for it does not get.
    const usual = await swapOf(safe, 'CONTRACT_CALL');
    assert.equal(usual.quote.routes[0].quote.openUntil, undefined);
    assert.equal(Number(usual.deposit.terms.openDeadline), usual.quote.routes[0].quote.validBefore + 600);
    await rejects(causeway.quote(safe, ...pair, { depositWithin: 90_000 }), 400, 'ValidationException', { message: /between 600 and 86400/ });
  });

  test('is told when it signs before it is deployed (ERC-6492), and the same signature is taken afterwards', async () => {
    for (const method of ['PERMIT2', 'AUTHORIZATION']) {
      const safe = await newSafe({ isDeployed: false });
      const swap = await swapOf(safe, method);
      const signature = await safe.signCounterfactual(swap.deposit.permit);
      const message = /is not deployed yet: deploy it with any transaction/;
      await rejectsBadRequest(causeway.submit(swap, { signature }), { message });
      await safe.deploy();
      const calls = callsOf(swap.deposit);
      if (calls.length > 0) await safe.execute(await safe.propose(calls));
      const { orderId } = await causeway.submit(swap, { signature });
      await delivered(orderId, method);
    }
  });

  test('is warned of a recipient that is a Safe here and nobody there', async () => {
    const safe = await newSafe();
    const warned = (warnings) => warnings?.filter(({ severity }) => severity === 'severe').map(({ code, field }) => `${code} ${field}`);
    // A quote waits for a recipient's code a moment only, and what it learns too late is in the next one.
    const isWarned = ({ routes: [route] }) => warned(route.warnings)?.length > 0;
    const { routes: [route], ...quote } = await eventually(() => causeway.quote(safe, ...pair), isWarned, 'the warning');
    assert.deepEqual(warned(route.warnings), ['CONTRACT_ELSEWHERE recipient']);
    assert.deepEqual(warned((await causeway.build(safe, quote, {}, route)).warnings), ['CONTRACT_ELSEWHERE recipient']);
    const { routes: [safer] } = await causeway.quote(safe, ...pair, { recipient: newAddress() });
    assert.equal(warned(safer.warnings ?? []).length, 0);
  });
});

describe('an account with a key that runs code (EIP-7702)', { timeout: 300_000 }, () => {
  let account;
  before(async () => {
    const code = await deploy(causeway, FROM, deployer, ACCOUNT_7702);
    account = await causeway.payer(FROM, { USDC: 200n * DOLLARS });
    await delegate(causeway, FROM, account, code);
  });

  test('deposits by one transaction with approval and deposit', async () => {
    const swap = await swapOf(account, 'CONTRACT_CALL', account.address);
    assert.equal((swap.quote.routes[0].warnings ?? []).length, 0, 'a key is the same on every chain');
    const txHash = await causeway.send(FROM, account, { to: account.address, data: batchOf(callsOf(swap.deposit)) });
    assert.equal((await causeway.receipt(FROM, txHash)).status, 'success');
    const { orderId } = await causeway.submit(swap, { txHash });
    await delivered(orderId, 'CONTRACT_CALL');
  });

  for (const method of ['PERMIT2', 'AUTHORIZATION', 'PERMIT']) {
    test(`deposits by ${method}`, async () => {
      const swap = await swapOf(account, method);
      await causeway.sendTransactions(swap);
      const signature = await signatureOf((data) => account.signTypedData(data), swap.deposit);
      const { orderId } = await causeway.submit(swap, { signature });
      await delivered(orderId, method);
    });
  }
});

describe('an account of ERC-4337', { timeout: 300_000 }, () => {
  test('deposits by its first operation, which also deploys it, and by another', async () => {
    const account = await Account4337.of(causeway, FROM, await entryPoint(causeway, FROM, deployer), key());
    await causeway.payer(FROM, { USDC: 100n * DOLLARS }, account);
    for (let round = 0; round < 2; round += 1) {
      const swap = await swapOf(account, 'CONTRACT_CALL');
      const { orderId } = await causeway.submit(swap, { txHash: await account.send(callsOf(swap.deposit)) });
      await delivered(orderId, 'CONTRACT_CALL');
    }
  });
});

describe('a wallet contract that misbehaves', { timeout: 300_000 }, () => {
  const AGREES = '631626ba7e60e01b5f5260205ff3';
  /** A wallet of these instructions with 100 USDC, which Permit2 may take. */
  const walletOf = async (code) => {
    const address = await deployCode(causeway, FROM, deployer, `0x${code}`);
    await causeway.fund(FROM, 'USDC', address, 100n * DOLLARS);
    return { address };
  };

  for (const [method, nonsense] of [['AUTHORIZATION', '0x01'], ['PERMIT', `0x${'01'.repeat(66)}`]]) {
    test(`says yes to everything by ${method}: its own money moves by its own terms, once`, async () => {
      const wallet = await walletOf(AGREES);
      const swap = await swapOf(wallet, method);
      const { orderId } = await causeway.submit(swap, { signature: nonsense });
      const again = await causeway.submit(swap, { signature: `${nonsense}02` }).catch((error) => error.details ?? { orderId });
      assert.equal(again.orderId ?? orderId, orderId);
      await delivered(orderId, method);
      assert.equal(await causeway.balance(FROM, await causeway.token(FROM, 'USDC'), wallet.address), 75n * DOLLARS);
    });
  }

  test('burns gas to verify: it is told to send the deposit itself', async () => {
    // A loop of about three million gas before the yes.
    const wallet = await walletOf(`63${(3_000_000 / 26 | 0).toString(16).padStart(8, '0')}5b6001900380600557${AGREES}`);
    const swap = await swapOf(wallet, 'AUTHORIZATION');
    // A busy machine takes too long over so much gas now and then, and says to try again.
    const submit = () => causeway.submit(swap, { signature: '0x01' })
      .catch((error) => (/Try again in a moment/.test(error.message) ? submit() : Promise.reject(error)));
    await rejectsBadRequest(submit(), { message: /send the deposit from the wallet instead|does not accept|gas/ });
  });

  test('changes its mind between the check and the block, or is late: the order ends unpaid', async () => {
    // The time of this chain is moved, which no other test uses.
    const chain = 137;
    const payer = await causeway.payer(chain);
    // Yes where gas costs nothing, as in a simulation; no in a block.
    const address = await deployCode(causeway, chain, payer, `0x3a601157${AGREES}5b5f5ffd`);
    await causeway.fund(chain, 'USDC', address, 100n * DOLLARS);
    const build = () => causeway.quoteAndBuild({ address }, [chain, 'USDC'], [TO, 'USDC'], AMOUNT, { asked: { recipient: newAddress() }, built: { depositMethod: 'AUTHORIZATION' } });
    const [swap, late] = [await build(), await build()];
    const { orderId } = await causeway.submit(swap, { signature: '0x01' });
    await causeway.moveTime(chain, Math.max(...[swap, late].map(({ deposit }) => Number(deposit.terms.openDeadline))) + 1);
    // The order fails once the service has seen a block of that time.
    await causeway.until(orderId, 'failed');
    await rejectsBadRequest(causeway.submit(late, { signature: '0x01' }), { message: /ended at/ });
    assert.equal(await causeway.balance(chain, await causeway.token(chain, 'USDC'), address), 100n * DOLLARS);
  });
});
