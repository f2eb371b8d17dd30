use reqwest::Url;

use crate::answers::Transfer;
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

/// What a transfer build says of the deposit: the address, and perhaps more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QrDeposit {
    pub deposit_address: String,
    pub qr_image_url: Option<String>,
    pub payment_uri: Option<String>,
    pub qr_payload: Option<String>,
    /// Raw units.
    pub amount: Option<String>,
    pub caip2: Option<String>,
    pub token: Option<String>,
    pub decimals: Option<u8>,
    pub memo: Option<String>,
}

impl From<&Transfer> for QrDeposit {
    fn from(transfer: &Transfer) -> Self {
        Self {
            deposit_address: transfer.deposit_address.clone(),
            qr_image_url: transfer.qr_image_url.clone(),
            payment_uri: transfer.payment_uri.clone(),
            qr_payload: transfer.qr_payload.clone(),
            amount: transfer.amount.clone(),
            caip2: transfer.caip2.clone(),
            token: transfer.token.clone(),
            decimals: transfer.decimals,
            memo: transfer.memo.clone(),
        }
    }
}

impl Client {
    /// The URL of any text as a QR code.
    pub fn qr_code_url(&self, content: &str, size: Option<u32>) -> String {
        self.code(content, size).into()
    }

    /// The URL of a transfer as a QR code that wallets understand.
    pub fn transfer_qr_code_url(&self, transfer: &TransferQr) -> String {
        self.transfer_code(transfer).into()
    }

    /// The URL of a deposit's QR code: the image of the service, else its payment link or payload, else the transfer, else the
    /// bare address.
    pub fn deposit_qr_code_url(&self, deposit: &QrDeposit, size: Option<u32>) -> String {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        if let Some(image) = given(&deposit.qr_image_url) {
            return image;
        }
        if let Some(payload) = given(&deposit.payment_uri).or_else(|| given(&deposit.qr_payload)) {
            return self.qr_code_url(&payload, size);
        }
        let is_raw = |text: &String| text.bytes().all(|digit| digit.is_ascii_digit());
        let amount = given(&deposit.amount).filter(is_raw);
        let fields = (amount, given(&deposit.caip2), given(&deposit.token), deposit.decimals);
        let (Some(amount), Some(caip2), Some(token), Some(decimals)) = fields else {
            return self.qr_code_url(&deposit.deposit_address, size);
        };
        self.transfer_qr_code_url(&TransferQr {
            amount: decimal(&amount, decimals),
            recipient: deposit.deposit_address.clone(),
            caip2,
            token,
            decimals,
            memo: given(&deposit.memo),
            size,
        })
    }

    /// Any text as a QR code in SVG.
    pub async fn qr_code(&self, content: &str, size: Option<u32>) -> Result<String, Error> {
        self.get_image(self.code(content, size)).await?.svg()
    }

    /// A transfer as a QR code in SVG that wallets understand.
    pub async fn transfer_qr_code(&self, transfer: &TransferQr) -> Result<String, Error> {
        self.get_image(self.transfer_code(transfer)).await?.svg()
    }

    fn code(&self, content: &str, size: Option<u32>) -> Url {
        let query = Query::default().with("content", Some(content)).with("size", size);
        query.append_to(self.qr.join(&[]))
    }

    fn transfer_code(&self, transfer: &TransferQr) -> Url {
        let query = Query::default()
            .with("amount", Some(&transfer.amount))
            .with("recipient", Some(&transfer.recipient))
            .with("caip2", Some(&transfer.caip2))
            .with("token", Some(&transfer.token))
            .with("decimals", Some(transfer.decimals))
            .with("memo", transfer.memo.as_deref())
            .with("size", transfer.size);
        query.append_to(self.qr.join(&["transfer"]))
    }
}

/// Raw units as people write them: `1230000` with 6 decimals is `1.23`.
fn decimal(raw: &str, decimals: u8) -> String {
    let decimals = usize::from(decimals);
    let digits = format!("{raw:0>width$}", width = decimals + 1);
    let (whole, part) = digits.split_at(digits.len() - decimals);
    let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") }
}
