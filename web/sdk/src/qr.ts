import type { CallOptions, Client } from './client.js';
import { formatUnits } from './format-units.js';
import { svg } from './request.js';
import { url } from './url.js';

/** A transfer to encode as a QR code. */
export interface TransferQr {
  /** The amount as a decimal, such as `1.23`. */
  amount: string;
  recipient: string;
  /** The CAIP-2 id of the chain, such as `eip155:8453`. */
  caip2: string;
  /** The token's address, or `native`. */
  token: string;
  decimals: number;
  memo?: string | null | undefined;
  /** Width and height in pixels, clamped to 96–512. */
  size?: number | undefined;
}

/** The deposit of a `TRANSFER` build. Only the address is required. */
export interface QrDeposit {
  depositAddress: string;
  qrImageUrl?: string | null | undefined;
  paymentUri?: string | null | undefined;
  qrPayload?: string | null | undefined;
  /** The amount in raw units. */
  amount?: string | null | undefined;
  caip2?: string | null | undefined;
  token?: string | null | undefined;
  decimals?: number | null | undefined;
  memo?: string | null | undefined;
}

/** The URL of a QR code for any text. */
export function qrCodeUrl(client: Client, content: string, size?: number): string {
  return url(client.qrCodeApiUrl, [], { content, size });
}

/** The URL of a QR code that wallets read as a transfer. */
export function transferQrCodeUrl(client: Client, transfer: TransferQr): string {
  const { amount, recipient, caip2, token, decimals, memo, size } = transfer;
  return url(client.qrCodeApiUrl, ['transfer'], { amount, recipient, caip2, token, decimals, memo, size });
}

/**
 * The URL of the QR code for a deposit. Uses the image URL of the service if there is one, else the payment URI or payload, else
 * the fields of the transfer, else the address alone.
 */
export function depositQrCodeUrl(client: Client, deposit: QrDeposit, size?: number): string {
  const { depositAddress: recipient, qrImageUrl, amount, caip2, token, decimals, memo } = deposit;
  if (qrImageUrl) return qrImageUrl;
  const payload = deposit.paymentUri || deposit.qrPayload;
  if (payload) return qrCodeUrl(client, payload, size);
  if (!amount || !/^\d+$/.test(amount) || !caip2 || !token || decimals == null) return qrCodeUrl(client, recipient, size);
  return transferQrCodeUrl(client, { amount: formatUnits(amount, decimals), recipient, caip2, token, decimals, memo, size });
}

/** Returns a QR code for any text, as SVG text. */
export function getQrCode(client: Client, content: string, size?: number, options?: CallOptions): Promise<string> {
  return svg(client, qrCodeUrl(client, content, size), options);
}

/** Returns a QR code that wallets read as a transfer, as SVG text. */
export function getTransferQrCode(client: Client, transfer: TransferQr, options?: CallOptions): Promise<string> {
  return svg(client, transferQrCodeUrl(client, transfer), options);
}
