// @ts-check

/**
 * Raw units as a decimal number, exactly: "1500000" with 6 decimals is "1.5".
 *
 * @param {string} raw
 * @param {number} decimals
 */
export function fromRaw(raw, decimals) {
  const digits = BigInt(raw).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/**
 * A span of time in its two largest units: "3 d 4 h", "12 min 5 s".
 *
 * @param {number} ms
 */
export function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts = /** @type {const} */ ([
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ]);
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return "0 s";
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}

/**
 * The two ends of an address, enough to tell it from its neighbours.
 *
 * @param {string} address
 */
export function shorten(address) {
  return address.length <= 14 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/**
 * The address of the QR image for a payment.
 *
 * @param {import("../types/api.d.ts").Payment} payment
 * @param {string} recipient
 */
export function qrUrl(payment, recipient) {
  const query = new URLSearchParams({
    amount: payment.amount,
    recipient,
    caip2: payment.caip2,
    token: payment.token,
    decimals: String(payment.decimals),
    size: "288",
  });
  // Colons are allowed in a query, and the address reads better with them.
  return `/api/qrcode/transfer?${query.toString().replaceAll("%3A", ":")}`;
}
