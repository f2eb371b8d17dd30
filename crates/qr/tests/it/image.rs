use causeway_qr::payload::MAX_CHARACTERS;
use causeway_qr::{Error, Style, Theme, svg};
use proptest::prelude::*;

use crate::scan::{modules, read, scan};

const PAYMENT: &str = "ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48@1/transfer\
    ?address=0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045&uint256=1230000";
const ADDRESS: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

fn draw(payload: &str) -> String {
    svg(payload, &Style::default()).unwrap()
}

fn reads_back(payload: &str, style: Style) -> bool {
    let image = svg(payload, &style).unwrap();
    scan(&image, 4 * modules(&image)) == payload
}

#[test]
fn both_themes_are_read_by_an_independent_decoder() {
    for theme in [Theme::Light, Theme::Dark] {
        assert!(reads_back(PAYMENT, Style { theme, ..Style::default() }));
    }
}

#[test]
fn modules_are_darker_than_their_background_in_both_themes() {
    assert!(draw(ADDRESS).contains(r##"fill="#fff"/><path fill="none" stroke="#000""##));
    let dark = svg(ADDRESS, &Style { theme: Theme::Dark, ..Style::default() }).unwrap();
    assert!(dark.contains(r##"fill="#cbd5e1"/><path fill="none" stroke="#0f172a""##));
}

#[test]
fn modules_drawn_by_other_means_are_read_by_an_independent_decoder() {
    let rows = causeway_qr::modules(PAYMENT).unwrap();
    assert!(rows.iter().all(|row| row.len() == rows.len()));
    let dark = |x: usize, y: usize| {
        let (x, y) = ((x / 4).checked_sub(4), (y / 4).checked_sub(4));
        x.zip(y).and_then(|(x, y)| rows.get(y)?.get(x)).copied().unwrap_or(false)
    };
    let text = read(4 * (rows.len() + 8), |x, y| if dark(x, y) { 0 } else { 255 });
    assert_eq!(text, PAYMENT);
    let long = "x".repeat(3000);
    assert!(matches!(causeway_qr::modules(&long), Err(Error::TooLong { .. })));
}

#[test]
fn codes_are_read_with_every_margin() {
    for margin in 0..=16 {
        assert!(reads_back(PAYMENT, Style { margin, ..Style::default() }), "{margin}");
    }
}

#[test]
fn codes_are_read_at_the_requested_size() {
    for (payload, size) in [(ADDRESS, 96), (ADDRESS, 256), (PAYMENT, 200), (PAYMENT, 256), (PAYMENT, 512)] {
        let image = svg(payload, &Style { size, ..Style::default() }).unwrap();
        assert!(image.contains(&format!(r#"width="{size}" height="{size}" viewBox="#)));
        assert_eq!(scan(&image, size), payload, "{size}");
    }
}

#[test]
fn codes_are_crisp_at_any_scale() {
    let image = draw(PAYMENT);
    for side in [131, 173, 250, 333, 509, 1000] {
        assert_eq!(scan(&image, side), PAYMENT, "{side}");
    }
}

#[test]
fn the_image_is_one_background_and_one_path() {
    let image = draw(PAYMENT);
    let elements: Vec<_> =
        image.split('<').skip(1).map(|tag| &tag[..tag.find([' ', '>']).unwrap()]).collect();
    assert_eq!(elements, ["svg", "rect", "path", "/svg"]);
    assert!(image.len() < 5000, "{}", image.len());
}

#[test]
fn the_path_has_only_relative_strokes_after_the_start_of_each_row() {
    let image = draw("x");
    let (_, path) = image.split_once(" d=\"").unwrap();
    let path = path.strip_suffix("\"/></svg>").unwrap();
    assert!(path.starts_with("M4 4.5h7m1 0"), "{path}");
    assert_eq!(path.matches('M').count(), 21);
    assert!(path.chars().all(|c| "Mhm .0123456789".contains(c)));
}

#[test]
fn the_image_has_no_script_no_links_and_no_payload_text() {
    let hostile = "\"/><script href='https://evil.example'>alert(1)</script>\u{0}&<!--";
    let image = draw(hostile);
    for unwanted in ["script", "href", "url(", "evil", "&", "<!", "style"] {
        assert!(!image.contains(unwanted), "{unwanted}");
    }
    assert_eq!(image.matches("http").count(), 1, "only the namespace");
    assert_eq!(scan(&image, 400), hostile);
}

#[test]
fn the_image_has_an_accessible_role_and_label() {
    assert!(draw(ADDRESS).contains(r#"role="img" aria-label="QR code" shape-rendering="crispEdges""#));
}

#[test]
fn text_beyond_ascii_is_read_back() {
    assert!(reads_back("10 € für Café ☕ 支払い", Style::default()));
}

#[test]
fn the_longest_payload_allowed_is_drawn_and_read() {
    let ascii: String = (' '..='~').cycle().take(MAX_CHARACTERS).collect();
    assert!(reads_back(&ascii, Style::default()));
}

#[test]
fn payloads_too_long_for_medium_correction_use_low_correction() {
    let text = "ü".repeat(2953 / 2);
    assert!(reads_back(&text, Style::default()));
}

#[test]
fn payloads_too_long_for_any_symbol_are_rejected() {
    let text = "支".repeat(MAX_CHARACTERS);
    let refusal = Error::TooLong { length: 3 * MAX_CHARACTERS, limit: 2953, unit: "bytes" };
    assert_eq!(svg(&text, &Style::default()), Err(refusal));
    assert!(svg(&"x".repeat(2953), &Style::default()).is_ok());
    assert!(svg(&"x".repeat(2954), &Style::default()).is_err());
}

#[test]
fn an_extreme_style_still_makes_a_valid_image() {
    let image = svg(ADDRESS, &Style { size: u16::MAX, margin: u8::MAX, ..Style::default() }).unwrap();
    assert!(image.contains(r#"width="65535" height="65535" viewBox="0 0 539 539""#));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_payload_is_read_back(
        payload in prop_oneof![
            4 => "[ -~]{1,150}",
            2 => "\\PC{1,60}",
            1 => "[ -~]{150,600}",
            1 => "[01]{1,80}|f{1,120}|U{1,120}",
        ],
        dark: bool,
        margin in 2_u8..=16,
    ) {
        let theme = if dark { Theme::Dark } else { Theme::Light };
        let style = Style { theme, margin, ..Style::default() };
        prop_assert!(reads_back(&payload, style));
    }
}
