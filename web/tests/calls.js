// @ts-check

if (!process.env.CAUSEWAY_URL) {
  throw new Error("set CAUSEWAY_URL to the address of a running Causeway, such as http://127.0.0.1:8080");
}

/** The service under test, without a trailing slash. */
export const BASE = process.env.CAUSEWAY_URL.replace(/\/+$/, "");

export const BASE_USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
export const ARBITRUM_USDC = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831";
/** An account of the development phrase that no test signs for. */
export const SOMEBODY = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720";

/**
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function call(path, body) {
  const response = await fetch(BASE + path, body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/**
 * An order that waits for a plain transfer of USDC on Base.
 *
 * @param {string} amount raw units
 */
export async function transferOrder(amount) {
  const { routes, ...quote } = await call("/v1/quotes", {
    tradeType: "EXACT_INPUT", fromChainId: 8453, fromToken: BASE_USDC, toChainId: 42161, toToken: ARBITRUM_USDC, amount,
    fromAddress: SOMEBODY, recipient: SOMEBODY, refundTo: SOMEBODY, depositMethods: ["TRANSFER"],
  });
  const route = routes[0];
  const built = await call("/v1/deposit/build", { quoteId: route.quoteId ?? quote.quoteId, routeId: route.routeId, from: SOMEBODY, recipient: SOMEBODY, refundTo: SOMEBODY, depositMethod: "TRANSFER" });
  return { orderId: built.orderId ?? built.deposit?.orderId, address: built.depositAddress ?? built.deposit?.depositAddress };
}

/**
 * Pays by the sandbox's faucet.
 *
 * @param {string} address
 * @param {string} amount raw units of USDC on Base
 */
export const payByFaucet = (address, amount) => call("/sandbox/faucet", { chainId: 8453, address, token: BASE_USDC, amount });
