use causeway_domain::{Address, Order};
use causeway_qr::payload;
use causeway_wire as wire;

/// Maps a transfer deposit with its QR code. `decimals` belong to the token.
pub(super) fn map_transfer(order: &Order, to: Address, decimals: u8, public_url: &str) -> wire::Payment {
    let (recipient, token) = (to.to_string(), order.from.address().to_string());
    let caip2 = order.from.chain().caip2();
    let amount = order.src_amount.to_decimal(decimals);
    let transfer =
        payload::Transfer { amount: &amount, recipient: &recipient, caip2: &caip2, token: &token, decimals };
    // If the QR payload cannot express the decimals, the code holds only the address.
    let payload = payload::transfer(&transfer).ok();
    let qr_image_url = match &payload {
        Some(_) => {
            let decimals = decimals.to_string();
            let pairs = [
                ("amount", &amount),
                ("recipient", &recipient),
                ("caip2", &caip2),
                ("token", &token),
                ("decimals", &decimals),
            ];
            format!("{public_url}/api/qrcode/transfer?{}", query(&pairs))
        }
        None => format!("{public_url}/api/qrcode?{}", query(&[("content", &recipient)])),
    };
    // The QR code holds what every wallet can scan; the payment URI may use richer formats.
    let payment_uri =
        payload::solana_pay(&transfer).or_else(|| payload.clone().filter(|payload| *payload != recipient));
    wire::Payment {
        amount: order.src_amount.to_string(),
        token,
        chain_id: order.from.chain().get(),
        caip2,
        decimals,
        expires_at: order.terms.open_deadline,
        order_id: order.id.to_string(),
        qr_image_url,
        payment_uri,
        qr_payload: payload.unwrap_or_else(|| recipient.clone()),
        deposit_address: recipient,
    }
}

fn query(pairs: &[(&str, &String)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}
