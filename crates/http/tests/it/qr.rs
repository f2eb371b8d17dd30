use crate::service::{bytes, get};

const RECIPIENT: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

async fn text(path: &str) -> (u16, String) {
    let response = get(path).await;
    (response.status().as_u16(), String::from_utf8(bytes(response).await).unwrap())
}

#[tokio::test]
async fn qr_codes_have_the_specified_headers() {
    let transfer =
        format!("/api/qrcode/transfer?amount=1&recipient={RECIPIENT}&caip2=eip155:1&token=eth&decimals=18");
    for path in ["/api/qrcode?content=hello", transfer.as_str()] {
        let response = get(path).await;
        assert_eq!(response.status(), 200, "{path}");
        for (name, value) in [
            ("content-type", "image/svg+xml; charset=utf-8"),
            ("access-control-allow-origin", "*"),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(response.headers()[name], value, "{path}: {name}");
        }
        let svg = String::from_utf8(bytes(response).await).unwrap();
        assert_eq!(svg.matches("<path").count(), 1);
    }
}

#[tokio::test]
async fn missing_parameters_are_400_in_plain_text() {
    for path in
        ["/api/qrcode", "/api/qrcode?content=", "/api/qrcode/transfer?amount=1", "/api/qrcode/transfer"]
    {
        let response = get(path).await;
        assert_eq!(response.status(), 400, "{path}");
        assert_eq!(response.headers()["content-type"], "text/plain; charset=utf-8", "{path}");
    }
    assert!(text("/api/qrcode/transfer?amount=1").await.1.contains("recipient"));
}

#[tokio::test]
async fn payloads_over_2048_characters_are_413_in_plain_text() {
    let (status, message) = text(&format!("/api/qrcode?content={}", "a".repeat(2049))).await;
    assert_eq!(status, 413);
    assert!(message.contains("2048"), "{message}");
    assert_eq!(text(&format!("/api/qrcode?content={}", "a".repeat(2048))).await.0, 200);
}

fn transfer_path(amount: &str, decimals: &str) -> String {
    format!(
        "/api/qrcode/transfer?amount={amount}&recipient={RECIPIENT}&caip2=eip155:1&token=eth&decimals={decimals}"
    )
}

#[tokio::test]
async fn a_transfer_with_an_unusable_amount_is_a_code_of_the_recipient_only() {
    let (_, alone) = text(&format!("/api/qrcode?content={RECIPIENT}")).await;
    for (amount, decimals) in [("1e18", "18"), ("1,5", "18"), ("-1", "18"), ("1.23", "1")] {
        assert_eq!(text(&transfer_path(amount, decimals)).await, (200, alone.clone()), "{amount} {decimals}");
    }
    assert_ne!(text(&transfer_path("1.5", "18")).await.1, alone);
}

#[tokio::test]
async fn a_memo_is_accepted_and_not_embedded() {
    let (_, without) = text(&transfer_path("1.5", "18")).await;
    let with = text(&format!("{}&memo=order%2042", transfer_path("1.5", "18"))).await;
    assert_eq!(with, (200, without));
}

#[tokio::test]
async fn transfer_decimals_outside_0_to_36_are_400_with_a_message() {
    for decimals in ["37", "x", "-1", "1.5"] {
        let (status, message) = text(&transfer_path("1", decimals)).await;
        assert_eq!(status, 400, "{decimals}");
        assert!(message.contains("decimals"), "{message}");
    }
}

#[tokio::test]
async fn repeated_parameter_is_rejected() {
    let (status, message) = text("/api/qrcode?content=a&content=b").await;
    assert_eq!((status, message.as_str()), (400, "content is given more than once"));
}

#[tokio::test]
async fn sizes_are_clamped_into_96_to_512() {
    for (size, width) in [("1", 96), ("300", 300), ("100000", 512)] {
        let (_, svg) = text(&format!("/api/qrcode?content=x&size={size}")).await;
        assert!(svg.contains(&format!("width=\"{width}\"")), "{size}: {svg}");
    }
    let (_, svg) = text("/api/qrcode?content=x&size=big").await;
    assert!(svg.contains("width=\"256\""), "{svg}");
}
