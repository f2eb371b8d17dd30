use causeway_qr::{Error, Style, Theme};
use proptest::prelude::*;

fn size(text: &str) -> Result<u16, Error> {
    Style::from_query(Some(text), None, None).map(|style| style.size)
}

#[test]
fn absent_or_blank_parameters_have_defaults() {
    let default = Style { size: 256, theme: Theme::Light, margin: 4 };
    assert_eq!(Style::from_query(None, None, None), Ok(default));
    assert_eq!(Style::from_query(Some(""), Some(""), Some("")), Ok(default));
}

#[test]
fn size_is_clamped_into_96_to_512() {
    for (text, clamped) in [
        ("0", 96),
        ("95", 96),
        ("96", 96),
        ("300", 300),
        ("0300", 300),
        ("512", 512),
        ("513", 512),
        ("70000", 512),
        ("99999999999999999999999999", 512),
        ("-1", 96),
        ("-99999999999999999999999999", 96),
    ] {
        assert_eq!(size(text), Ok(clamped), "{text}");
    }
}

#[test]
fn a_size_that_cannot_be_used_is_clamped_or_has_the_default() {
    for (text, used) in
        [("25.5", 96), ("300.9", 300), ("1e2", 100), ("1e9", 512), ("inf", 512), ("+96", 96), (" 256", 256)]
    {
        assert_eq!(size(text), Ok(used), "{text}");
    }
    for text in ["big", "256px", "-", "--5", "NaN", "٣٠٠"] {
        assert_eq!(size(text), Ok(256), "{text}");
    }
}

#[test]
fn theme_is_light_or_dark() {
    let theme = |name| Style::from_query(None, Some(name), None).map(|style| style.theme);
    assert_eq!(theme("light"), Ok(Theme::Light));
    assert_eq!(theme("dark"), Ok(Theme::Dark));
    for name in ["Dark", "blue", "\"><script>"] {
        assert_eq!(theme(name), Err(Error::Theme));
    }
}

#[test]
fn margin_is_0_to_16_modules() {
    let margin = |text| Style::from_query(None, None, Some(text)).map(|style| style.margin);
    assert_eq!(margin("0"), Ok(0));
    assert_eq!(margin("16"), Ok(16));
    for text in ["17", "-1", "+1", "1.5", "wide", "256", "99999999999999999999"] {
        assert_eq!(margin(text), Err(Error::Margin), "{text}");
    }
}

proptest! {
    #[test]
    fn any_integer_is_a_size_between_the_bounds(number: i128) {
        let expected = u16::try_from(number.clamp(96, 512)).unwrap();
        prop_assert_eq!(size(&number.to_string()), Ok(expected));
    }

    #[test]
    fn any_text_is_a_style_or_rejected(text in "\\PC{0,12}") {
        let _ = Style::from_query(Some(&text), Some(&text), Some(&text));
    }
}
