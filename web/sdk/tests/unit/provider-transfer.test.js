import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkProviderTransfer } from '@causeway/sdk/transfer';

const PAYER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const TOKEN = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const ADDRESS = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE';
const OTHER = '0x000000000000000000000000000000000000dEaD';
const LINK = `ethereum:${TOKEN}@8453/transfer?address=${ADDRESS}&uint256=1000`;

const ask = { tradeType: 'EXACT_INPUT', fromChainId: 8453, fromToken: TOKEN, toChainId: 42161, toToken: OTHER, amount: '1000', fromAddress: PAYER };
const quote = { amountIn: '1000', amountOut: '1000', minAmountOut: '995', expectedDurationSeconds: 4 };

function built(change = {}) {
  const transfer = {
    depositAddress: ADDRESS, amount: '1000', token: TOKEN, chainId: 8453, caip2: 'eip155:8453', decimals: 6,
    expiresAt: Math.floor(Date.now() / 1000) + 1800, orderId: '1', qrPayload: LINK,
  };
  return {
    ...transfer, deposit: transfer, kind: 'PROVIDER_TRANSFER', settlement: 'provider', provider: 'oneclick', recipient: PAYER, refundTo: PAYER,
    minAmountOut: '995', heldBy: 'an agent', refunds: 'slowly', summary: [], ...change,
  };
}

const check = (deposit, providers = ['oneclick'], bound = { minAmountOut: '990' }) =>
  checkProviderTransfer(ask, quote, deposit, { ...bound, providers });

describe('checkProviderTransfer', () => {
  it('passes a transfer to a provider that is trusted with the money', async () => {
    await check(built());
  });

  it('passes none to a provider that nobody trusts', async () => {
    for (const providers of [[], ['another']]) {
      await assert.rejects(check(built(), providers), { code: 'SVC3003', message: /provider is oneclick, expected one that is trusted with the money/ });
    }
  });

  it('needs a bound', async () => {
    await assert.rejects(check(built(), ['oneclick'], {}), TypeError);
    await assert.rejects(check(built(), ['oneclick'], { minAmountOut: '996' }), { code: 'SVC3003' });
  });

  const lies = [
    [{ recipient: OTHER }, /recipient/],
    [{ refundTo: OTHER }, /refund address/],
    [{ refundTo: undefined }, /refund address/],
    [{ minAmountOut: '994' }, /output/],
    [{ minAmountOut: undefined }, /output/],
    [{ depositAddress: PAYER }, /transfer's address/],
    [{ depositAddress: TOKEN }, /transfer's address/],
    [{ depositAddress: `0x${'0'.repeat(40)}` }, /transfer's address/],
    [{ depositAddress: 'bc1q0fnht2ngtaeexp3gypd55k5ejfwxtgxmdmx0gh' }, /transfer's address/],
    [{ depositAddress: OTHER }, /transfer's link/],
    [{ deposit: { ...built().deposit, depositAddress: OTHER } }, /transfer's address/],
    [{ chainId: 1 }, /transfer's chain/],
    [{ token: OTHER }, /transfer's token/],
    [{ amount: '1001' }, /transfer's amount/],
    [{ decimals: 18 }, /decimals/],
    [{ qrPayload: OTHER }, /transfer's link/],
    [{ paymentUri: 'ethereum:0xdead' }, /transfer's link/],
    [{ expiresAt: 1 }, /transfer's last time/],
    [{ expiresAt: undefined }, /transfer's last time/],
    [{ expiresAt: 9_999_999_999 }, /transfer's last time/],
  ];
  for (const [change, message] of lies) {
    it(`refuses ${JSON.stringify(change).slice(0, 80)}`, async () => {
      await assert.rejects(check(built(change)), { name: 'ServiceError', code: 'SVC3003', message });
    });
  }
});

describe('checkProviderTransfer of a deposit on Bitcoin or Tron', () => {
  const BITCOIN = 8253038;
  const TRON = 728126428;
  const COIN = 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs';
  const PAID = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
  const BACK = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
  const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
  const PAID_ON_TRON = 'TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9';
  const BACK_ON_TRON = 'TBXSw8fM4jpQkGc6zZjsVABFpVN7UvXPdV';

  const bitcoinAsk = { ...ask, fromChainId: BITCOIN, fromToken: COIN, fromAddress: BACK, refundTo: BACK, recipient: PAYER };
  const tronAsk = { ...ask, fromChainId: TRON, fromToken: USDT, fromAddress: BACK_ON_TRON, refundTo: BACK_ON_TRON, recipient: PAYER };
  const bitcoin = {
    depositAddress: PAID, token: COIN, chainId: BITCOIN, decimals: 8, refundTo: BACK, qrPayload: `bitcoin:${PAID}?amount=0.00001`, deposit: undefined,
  };
  const tron = { depositAddress: PAID_ON_TRON, token: USDT, chainId: TRON, decimals: 6, refundTo: BACK_ON_TRON, qrPayload: PAID_ON_TRON, deposit: undefined };
  const checkOf = (asked, deposit) => checkProviderTransfer(asked, quote, deposit, { minAmountOut: '990', providers: ['oneclick'] });

  it('passes what matches the request', async () => {
    await checkOf(bitcoinAsk, built(bitcoin));
    await checkOf(tronAsk, built(tron));
  });

  it('refuses addresses, links and tokens of another form in words', async () => {
    for (const [asked, right, change, words] of [
      [bitcoinAsk, bitcoin, { depositAddress: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' }, /transfer's address/],
      [bitcoinAsk, bitcoin, { depositAddress: ADDRESS }, /transfer's address/],
      [bitcoinAsk, bitcoin, { depositAddress: BACK }, /transfer's address/],
      [bitcoinAsk, bitcoin, { depositAddress: COIN }, /transfer's address/],
      [bitcoinAsk, bitcoin, { refundTo: PAID }, /refund address/],
      [bitcoinAsk, bitcoin, { qrPayload: `bitcoin:${PAID}?amount=0.0001` }, /transfer's link/],
      [bitcoinAsk, bitcoin, { token: PAID }, /transfer's token/],
      [tronAsk, tron, { depositAddress: '41a614f803b6fd780986a42c78ec9c7f77e6ded13c' }, /transfer's address/],
      [tronAsk, tron, { depositAddress: USDT }, /transfer's address/],
      [tronAsk, tron, { qrPayload: BACK_ON_TRON }, /transfer's link/],
    ]) {
      await assert.rejects(checkOf(asked, built({ ...right, ...change })), { code: 'SVC3003', message: words });
    }
  });
});
