//! The icon of a token: the bundled mark of its coin, else a disc in a color of its own with the first letters of its symbol.

use std::fmt::Write as _;

use bytes::Bytes;
use causeway_domain::{Token, TokenId};
use sha2::{Digest as _, Sha256};

use crate::chains::{Icon, ink_on, stroke};
use crate::data;

/// More letters are not legible.
const MAX_LETTERS: usize = 4;

/// The icon of a token, below two kilobytes. `coin` is the well-known coin that it represents.
pub(crate) fn token_icon(token: &Token, coin: Option<&str>) -> Icon {
    match coin.and_then(data::token_icon) {
        Some(mark) => Icon::new(Bytes::from_static(mark)),
        None => draw(token, coin),
    }
}

/// Draws an icon without a font.
fn draw(token: &Token, coin: Option<&str>) -> Icon {
    let color = color(&token.id, &token.symbol, coin);
    let letters: Vec<&str> = token.symbol.chars().filter_map(stroke).take(MAX_LETTERS).collect();
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\" width=\"64\" height=\"64\">\
         <circle cx=\"32\" cy=\"32\" r=\"32\" fill=\"{color}\"/>\
         <g fill=\"none\" stroke=\"{ink}\" stroke-width=\"2.2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"",
        ink = ink_on(&color),
    );
    // A letter is 12 by 16 with 4 between two; the more letters, the smaller they are, in hundredths.
    let scale = match letters.len() {
        0 | 1 => 200,
        2 => 140,
        3 => 100,
        _ => 78,
    };
    let count = i32::try_from(letters.len()).unwrap_or(0);
    let width = count * 16 - 4;
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        " transform=\"translate({x} {y}) scale({whole}.{part:02})\">",
        x = 32 - width * scale / 200,
        y = 32 - 16 * scale / 200,
        whole = scale / 100,
        part = scale % 100,
    );
    for (place, path) in letters.iter().enumerate() {
        let _ = write!(svg, "<path d=\"{path}\" transform=\"translate({} 0)\"/>", place * 16);
    }
    if letters.is_empty() {
        svg.push_str("<circle cx=\"-2\" cy=\"8\" r=\"7\"/>");
    }
    svg.push_str("</g></svg>");
    Icon::new(Bytes::from(svg))
}

/// A color that the address decides; that of a well-known coin is the same on every chain, and that of another chain's own
/// coin follows from its symbol.
fn color(id: &TokenId, symbol: &str, coin: Option<&str>) -> String {
    let seed = match coin {
        Some(coin) => coin.to_owned(),
        None if id.is_native() => symbol.to_owned(),
        None => id.address().to_string(),
    };
    let digest = Sha256::digest(seed);
    let byte = |place: usize| u32::from(digest.get(place).copied().unwrap_or_default());
    let hue = (byte(0) * 256 + byte(1)) % 360;
    let (saturation, lightness) = (45 + byte(2) % 30, 38 + byte(3) % 18);
    hsl(hue, saturation, lightness)
}

/// `#rrggbb` of a hue in degrees, and saturation and lightness in percent.
fn hsl(hue: u32, saturation: u32, lightness: u32) -> String {
    // In hundredths of a percent; the chroma is at most the saturation.
    let spread = lightness.min(100 - lightness.min(100)) * saturation;
    let channel = |offset: u32| {
        let sector = i64::from((offset * 10 + hue / 3) % 120);
        // From -1 to 1 in tenths: falls, stays, rises.
        let turn = (sector - 30).min(90 - sector).clamp(-10, 10);
        let value = i64::from(lightness) * 100 - i64::from(spread) * turn / 10;
        (value * 255 / 10_000).clamp(0, 255)
    };
    format!("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalog;

    fn token(address: &str, symbol: &str) -> Token {
        let id = format!("eip155:1:{address}").parse().unwrap();
        Token { id, symbol: symbol.to_owned(), name: symbol.to_owned(), decimals: 18, logo: None }
    }

    #[test]
    fn every_token_of_the_catalog_has_an_icon_below_two_kilobytes() {
        let catalog = Catalog::bundled().unwrap();
        let snapshot = catalog.snapshot();
        for listed in snapshot.tokens(crate::TokenFilter::default(), None, usize::MAX).tokens {
            let icon = snapshot.token_icon(&listed.token.id).unwrap();
            assert!(icon.svg.len() < 2_048, "{} takes {}", listed.token.symbol, icon.svg.len());
        }
    }

    #[test]
    fn a_well_known_coin_has_its_mark_on_every_chain_and_its_look_alikes_have_not() {
        let catalog = Catalog::bundled().unwrap();
        let snapshot = catalog.snapshot();
        let icon = |id: &str| snapshot.token_icon(&id.parse().unwrap()).unwrap();
        let usdc = icon("eip155:1:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48");
        assert_eq!(usdc, icon("eip155:8453:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"));
        assert_eq!(Some(usdc.svg.as_ref()), data::token_icon("usd-coin"));
        let ether = icon("eip155:1:0x0000000000000000000000000000000000000000");
        assert_eq!(ether, icon("eip155:42161:0x0000000000000000000000000000000000000000"));
        assert_ne!(ether, icon("eip155:1:0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"), "wrapped");
        for listed in snapshot.tokens(crate::TokenFilter::default(), None, usize::MAX).tokens {
            let mark = snapshot.token_icon(&listed.token.id).unwrap() == usdc;
            let genuine = snapshot.asset(&listed.token.id).is_some_and(|asset| asset.coin == "usd-coin");
            assert_eq!(mark, genuine, "{}", listed.token.id);
        }
    }

    #[test]
    fn every_bundled_mark_belongs_to_a_coin_and_is_plain_drawing() {
        let sources = vec![causeway_domain::BITCOIN_CHAIN_ID, causeway_domain::TRON_CHAIN_ID];
        let options = crate::CatalogOptions { sources, ..crate::CatalogOptions::default() };
        let catalog = Catalog::load(&options).unwrap();
        let snapshot = catalog.snapshot();
        let marked = snapshot.assets().iter().filter_map(|asset| data::token_icon(&asset.coin));
        let marked: Vec<&str> = marked.map(|svg| std::str::from_utf8(svg).unwrap()).collect();
        assert_eq!(marked.len(), data::token_icon_count());
        for svg in marked {
            assert!(
                svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 24 24\">"),
                "{svg}"
            );
            assert!(!svg.contains("script") && !svg.contains("href") && !svg.contains("<text"), "{svg}");
        }
    }

    #[test]
    fn the_color_follows_from_the_address_and_the_letters_from_the_symbol() {
        let (one, two) = (format!("0x{}", "11".repeat(20)), format!("0x{}", "22".repeat(20)));
        let same = [token(&one, "USDC"), token(&one, "USDC")].map(|token| draw(&token, None));
        assert_eq!(same[0], same[1]);
        assert_ne!(draw(&token(&two, "USDC"), None), same[0], "another color");
        assert_ne!(draw(&token(&one, "DAI"), None), same[0], "other letters");
        let known =
            [token(&one, "wstETH"), token(&two, "wstETH")].map(|token| draw(&token, Some("wrapped-steth")));
        assert_eq!(known[0], known[1], "one coin on two chains");
    }

    #[test]
    fn an_icon_needs_no_font_and_holds_nothing_of_the_symbol_as_text() {
        for symbol in ["\"><script>", "链", "", "$", "usd₮0"] {
            let icon = draw(&token(&format!("0x{}", "33".repeat(20)), symbol), None);
            let svg = String::from_utf8(icon.svg.to_vec()).unwrap();
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
            assert!(!svg.contains("script") && !svg.contains("<text") && !svg.contains("href"), "{svg}");
        }
    }

    #[test]
    fn hues_become_the_colors_that_they_name() {
        assert_eq!(hsl(0, 100, 50), "#ff0000");
        assert_eq!(hsl(120, 100, 50), "#00ff00");
        assert_eq!(hsl(240, 100, 50), "#0000ff");
        assert_eq!(hsl(77, 0, 50), "#7f7f7f");
    }
}
