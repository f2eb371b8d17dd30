use axum::response::{IntoResponse, Response};
use causeway_qr::payload::{self, Transfer};

use super::image::{draw, read};
use crate::extract::QueryParams;

/// Draws a transfer as a QR code that wallets understand.
///
/// EVM chains get an EIP-681 URI, Bitcoin a BIP-21 URI; for every other chain, and for ambiguous
/// input, the code contains only the recipient. The amount is converted exactly and never rounded; one that the token
/// cannot express is left out with the rest of the URI.
#[utoipa::path(
    get,
    path = "/api/qrcode/transfer",
    tag = "qr",
    params(
        ("amount" = String, Query, description = "Decimal amount such as 1.23", example = "1.5"),
        ("recipient" = String, Query, description = "The recipient of the payment", example = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"),
        ("caip2" = String, Query, description = "The chain", example = "eip155:8453"),
        ("token" = String, Query, description = "Token address, or `native`", example = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
        ("decimals" = u8, Query, description = "The token's decimals, 0 to 36", example = 6),
        ("memo" = Option<String>, Query, description = "Accepted; no chain standard embeds it yet"),
        ("size" = Option<u32>, Query, description = "Pixels, clamped into 96 to 512; 256 by default, and for what is no number", example = 256),
        ("theme" = Option<String>, Query, description = "`light` or `dark`", example = "light"),
        ("margin" = Option<u32>, Query, description = "Quiet zone in modules, 0 to 16; 4 by default", example = 4),
    ),
    responses(
        (status = 200, description = "The code", content_type = "image/svg+xml", body = String),
        (status = 400, description = "What to change, in plain text", content_type = "text/plain", body = String),
        (status = 413, description = "The payload is too long, in plain text", content_type = "text/plain", body = String),
    ),
)]
pub(crate) async fn transfer(params: QueryParams) -> Response {
    let names = ["amount", "recipient", "caip2", "token", "decimals", "memo"];
    let drawn =
        read(params, names).and_then(|([amount, recipient, caip2, token, decimals, _memo], style)| {
            let transfer = Transfer::from_query(
                amount.as_deref(),
                recipient.as_deref(),
                caip2.as_deref(),
                token.as_deref(),
                decimals.as_deref(),
            )?;
            draw(&payload::transfer(&transfer)?, style)
        });
    drawn.unwrap_or_else(IntoResponse::into_response)
}
