import type { CallOptions, Client } from './client.js';
import { svg } from './request.js';
import { url } from './url.js';

/** A transfer to be drawn as a QR code. */
export interface TransferQr {
  /** Decimal, such as `1.23`. */
  amount: string;
  recipient: string;
  /** The chain, such as `eip155:8453`. */
  caip2: string;
  /** The token's address, or `native`. */
  token: string;
  decimals: number;
  memo?: string | null | undefined;
  /** Pixels, clamped into 96 to 512. */
  size?: number | undefined;
}

/** What a `TRANSFER` build says of the deposit; all of it may be missing but the address. */
export interface QrDeposit {
  depositAddress: string;
  qrImageUrl?: string | null | undefined;
  paymentUri?: string | null | undefined;
  qrPayload?: string | null | undefined;
  /** Raw units. */
  amount?: string | null | undefined;
  caip2?: string | null | undefined;
  token?: string | null | undefined;
  decimals?: number | null | undefined;
  memo?: string | null | undefined;
}

/** Where any text is drawn as a QR code. */
export function qrCodeUrl(client: Client, content: string, size?: number): string {
  return url(client.qrCodeApiUrl, [], { content, size });
}

/** Where a transfer is drawn as a QR code that wallets understand. */
export function transferQrCodeUrl(client: Client, transfer: TransferQr): string {
  const { amount, recipient, caip2, token, decimals, memo, size } = transfer;
  return url(client.qrCodeApiUrl, ['transfer'], { amount, recipient, caip2, token, decimals, memo, size });
}

/**
 * The picture for a deposit: the one that the service drew; else its payment address or payload; else the transfer; else the bare
 * address.
 */
export function depositQrCodeUrl(client: Client, deposit: QrDeposit, size?: number): string {
  const { depositAddress: recipient, qrImageUrl, amount, caip2, token, decimals, memo } = deposit;
  if (qrImageUrl) return qrImageUrl;
  const payload = deposit.paymentUri || deposit.qrPayload;
  if (payload) return qrCodeUrl(client, payload, size);
  if (!amount || !/^\d+$/.test(amount) || !caip2 || !token || decimals == null) return qrCodeUrl(client, recipient, size);
  return transferQrCodeUrl(client, { amount: decimal(amount, decimals), recipient, caip2, token, decimals, memo, size });
}

/** Raw units as people write them: `1230000` with 6 decimals is `1.23`. */
function decimal(raw: string, decimals: number): string {
  const digits = raw.padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  const whole = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const part = digits.slice(point).replace(/0+$/, '');
  return part ? `${whole}.${part}` : whole;
}

/** Any text as a QR code in SVG. */
export function getQrCode(client: Client, content: string, size?: number, options?: CallOptions): Promise<string> {
  return svg(client, qrCodeUrl(client, content, size), options);
}

/** A transfer as a QR code in SVG that wallets understand. */
export function getTransferQrCode(client: Client, transfer: TransferQr, options?: CallOptions): Promise<string> {
  return svg(client, transferQrCodeUrl(client, transfer), options);
}
