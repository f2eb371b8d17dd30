use crate::url::Query;
use crate::{Client, Error};

/// A transfer to be drawn as a QR code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransferQr {
    /// Decimal, such as `1.23`.
    pub amount: String,
    pub recipient: String,
    /// The chain, such as `eip155:8453`.
    pub caip2: String,
    /// The token's address, or `native`.
    pub token: String,
    pub decimals: u8,
    pub memo: Option<String>,
    /// Pixels, clamped into 96 to 512.
    pub size: Option<u32>,
}

impl Client {
    /// Any text as a QR code in SVG.
    pub async fn qr_code(&self, content: &str, size: Option<u32>) -> Result<String, Error> {
        let query = Query::default().with("content", Some(content)).with("size", size);
        self.get(query.append_to(self.qr.join(&[]))).await?.svg()
    }

    /// A transfer as a QR code in SVG that wallets understand.
    pub async fn transfer_qr_code(&self, transfer: &TransferQr) -> Result<String, Error> {
        let query = Query::default()
            .with("amount", Some(&transfer.amount))
            .with("recipient", Some(&transfer.recipient))
            .with("caip2", Some(&transfer.caip2))
            .with("token", Some(&transfer.token))
            .with("decimals", Some(transfer.decimals))
            .with("memo", transfer.memo.as_deref())
            .with("size", transfer.size);
        self.get(query.append_to(self.qr.join(&["transfer"]))).await?.svg()
    }
}
