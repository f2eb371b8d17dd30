import type { BuildAnswer, QuoteAsk, RouteQuote } from '../generated/types.js';
import { invalidResponse } from '../request.js';
import { SOLANA_CHAIN_ID } from '../token-identifier.js';
import { checkProgramCall } from '../wallets/check-program.js';
import { isSolana, type Wallet } from '../wallets/wallet.js';
import type { Plan } from './check-deposit.js';
import { asked, checkProviderCall, leaves } from './check-provider-call.js';
import type { TrustedProvider } from './execute-swap.js';
import { mismatchError } from './mismatch-error.js';
import { APPROVE, checkCall, checkEqual, checkValue, type Request } from './plan-requests.js';
import { checkSettler } from './settler.js';
import { encodeWord } from './terms.js';
import type { WalletChains } from './wallet-request.js';

// For what this loads: bundlers then split off nothing else that both need.
export { isOnChain } from './settler.js';
export { TOKEN_PROGRAMS } from '../wallets/check-solana.js';

/**
 * Checks the transaction of a provider, which settles the swap, and returns the requests for the wallet: every contract is one of
 * those that the caller trusts, nothing but the input is spent or allowed, and the call itself says what was asked, as far as calls of
 * its kind say it.
 */
export async function planProvider(
  ask: QuoteAsk,
  quote: RouteQuote,
  built: BuildAnswer,
  wallet: Wallet,
  providers: readonly (string | TrustedProvider)[] = [],
  chains?: WalletChains | undefined,
): Promise<Plan> {
  const trusted = providers.map((provider) => (typeof provider === 'string' ? { contract: provider } : provider));
  if (built.kind !== 'PROVIDER_CALL') throw invalidResponse('The service built a deposit other than PROVIDER_CALL.');
  const least = quote.minAmountOut ?? quote.amountOut;
  const { minAmountOut = '' } = built;
  if (!/^\d+$/.test(minAmountOut) || BigInt(minAmountOut) < BigInt(least)) throw mismatchError('output', minAmountOut || 'missing', `at least ${least}`);
  if (ask.fromChainId === SOLANA_CHAIN_ID) return planProgram(ask, quote, built, wallet, trusted, chains);
  const contracts = trusted.map(({ contract }) => contract.toLowerCase());
  const pinned = (name: string, contract: string) => {
    if (!contracts.includes(contract.toLowerCase())) throw mismatchError(name, contract, 'a contract that is trusted for this provider');
    return contract.toLowerCase();
  };
  const target = pinned('provider\'s contract', built.target ?? 'missing');
  const spender = built.spender ? pinned('spender', built.spender) : undefined;
  const token = asked('input token', ask.fromToken);
  const native = BigInt(token) === 0n;
  const chainId = `0x${ask.fromChainId.toString(16)}`;
  const allowed = { token, amount: BigInt(quote.amountIn), least: BigInt(least), target };
  let settler: string | undefined;
  const requests = (built.approvals ?? []).map((approval): Request => {
    if (approval.type === 'solana_sendTransaction') throw invalidResponse('The response has a Solana transaction, which this provider\'s payment does not need.');
    const deposit = approval.deposit === true;
    const { method, params } = approval.request;
    const given = Object(params[0]) as Record<string, unknown>;
    if (Number(given.chainId) !== ask.fromChainId) throw mismatchError('transaction\'s chain', Number(given.chainId), ask.fromChainId);
    if (method === 'wallet_switchEthereumChain') return { method, params: [{ chainId }], deposit: false };
    if (method !== 'eth_sendTransaction') throw invalidResponse(`The deposit requests ${method} from the wallet, which a swap does not need.`);
    checkEqual('transaction\'s payer', given.from, ask.fromAddress.toLowerCase());
    if (deposit) settler = checkProviderCall(ask, allowed, trusted, String(given.data).toLowerCase());
    const transaction = deposit ? planCall(target, native ? quote.amountIn : 0, given) : planAllowance(token, spender, quote.amountIn, given);
    const gas = /^0x[0-9a-f]{1,16}$/i.test(String(given.gas)) ? { gas: given.gas } : {};
    return { method, params: [{ from: ask.fromAddress, ...transaction, chainId, ...gas }], waitForReceipt: approval.waitForReceipt === true, deposit };
  });
  const count = (wanted: boolean) => requests.filter(({ method, deposit }) => method === 'eth_sendTransaction' && deposit === wanted).length;
  if (count(true) !== 1) throw invalidResponse(`The response has ${count(true)} deposits, expected 1.`);
  // Some tokens need the allowance reset to zero first.
  const most = native ? 0 : 2;
  if (count(false) > most) throw invalidResponse(`The response has ${count(false)} approvals, expected at most ${most}.`);
  if (isSolana(wallet)) return { requests };
  if (settler) await checkSettler(wallet, ask.fromChainId, settler);
  const { withEffects } = await import('./effects.js');
  return { requests, signer: withEffects(wallet, ask, { ...allowed, spender: spender ?? target }, requests, leaves(trusted, target, 'effects'), chains) };
}

/** One transaction for a wallet of Solana, which is checked here, against the request instead of terms. */
async function planProgram(
  ask: QuoteAsk,
  quote: RouteQuote,
  { target = 'missing', approvals = [] }: Extract<BuildAnswer, { kind: 'PROVIDER_CALL' }>,
  wallet: Wallet,
  trusted: readonly TrustedProvider[],
  chains: WalletChains | undefined,
): Promise<Plan> {
  if (!trusted.some(({ contract }) => contract === target)) throw mismatchError('provider\'s program', target, 'a program that is trusted for this provider');
  const [approval, ...others] = approvals;
  if (approval?.type !== 'solana_sendTransaction' || others.length > 0) throw invalidResponse('The response does not have one Solana transaction.');
  if (approval.deposit !== true) throw invalidResponse('The response has 0 deposits, expected 1.');
  if (!isSolana(wallet)) throw invalidResponse('The deposit needs a Solana transaction, which this wallet cannot sign.');
  const { transaction } = approval;
  const swap = await checkProgramCall(ask, quote, target, transaction);
  const signer = {
    address: wallet.address,
    async signTransaction(bytes: Uint8Array) {
      const { checkProgramEffects } = await import('./program-effects.js');
      const isTrusted = trusted.some(({ contract, unchecked }) => contract === target && unchecked?.includes('effects'));
      await checkProgramEffects(ask, quote, { ...swap, target, transaction, isTrusted }, chains);
      return wallet.signTransaction(bytes);
    },
    checkTransaction: async () => undefined,
  };
  return { requests: [{ method: '', params: [], transaction, deposit: true }], signer };
}

/** The provider's own call, whose data was compared with the request. */
function planCall(target: string, amount: string | number, given: Record<string, unknown>) {
  checkEqual('deposit\'s contract', given.to, target);
  const data = String(given.data);
  if (!/^0x([0-9a-f]{2})*$/i.test(data)) throw mismatchError('deposit\'s call', data, 'hexadecimal digits');
  return { to: target, data, value: checkValue('deposit', given.value, amount) };
}

/** An allowance of exactly the input for the trusted spender, or of nothing. */
function planAllowance(token: string, spender: string | undefined, amount: string, given: Record<string, unknown>) {
  if (!spender) throw invalidResponse('The response has an approval without a spender.');
  checkEqual('approval\'s token', given.to, token);
  const approve = (allowed: string) => APPROVE + encodeWord(spender) + encodeWord(allowed);
  const data = String(given.data).toLowerCase() === approve('0') ? approve('0') : approve(amount);
  checkCall('approval', given.data, data, (index) => ['', 'spender', 'amount'][index]);
  return { to: token, data, value: checkValue('approval', given.value, 0) };
}
