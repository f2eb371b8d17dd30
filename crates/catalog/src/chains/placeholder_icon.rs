//! The placeholder icon of a chain without a logo: a disc in its color with its first letter.

/// Letters and digits as strokes on a 12 by 16 grid, so that no font is needed.
const STROKES: [(char, &str); 36] = [
    ('A', "M0 16L6 0L12 16M2.5 10H9.5"),
    ('B', "M1 0V16H7A4 4 0 0 0 7 8H1M7 8A4 4 0 0 0 7 0H1"),
    ('C', "M12 3A6 8 0 1 0 12 13"),
    ('D', "M1 0V16H5A7 8 0 0 0 5 0Z"),
    ('E', "M11 0H1V16H11M1 8H9"),
    ('F', "M11 0H1V16M1 8H9"),
    ('G', "M12 3A6 8 0 1 0 12 13V9H8"),
    ('H', "M1 0V16M11 0V16M1 8H11"),
    ('I', "M6 0V16M3 0H9M3 16H9"),
    ('J', "M9 0V11A4 5 0 0 1 1 11"),
    ('K', "M1 0V16M11 0L1 9M4.5 6L11 16"),
    ('L', "M2 0V16H11"),
    ('M', "M0 16V0L6 9L12 0V16"),
    ('N', "M1 16V0L11 16V0"),
    ('O', "M6 0A6 8 0 0 0 6 16A6 8 0 0 0 6 0Z"),
    ('P', "M1 16V0H7A4 4.5 0 0 1 7 9H1"),
    ('Q', "M6 0A6 8 0 0 0 6 16A6 8 0 0 0 6 0ZM7 11L12 16"),
    ('R', "M1 16V0H7A4 4.5 0 0 1 7 9H1M6 9L11 16"),
    ('S', "M11 3A5 4 0 0 0 6 0C-1 0 -1 7 6 8S13 16 6 16A5 4 0 0 1 1 13"),
    ('T', "M0 0H12M6 0V16"),
    ('U', "M1 0V10A5 6 0 0 0 11 10V0"),
    ('V', "M0 0L6 16L12 0"),
    ('W', "M-1 0L3 16L6 5L9 16L13 0"),
    ('X', "M1 0L11 16M11 0L1 16"),
    ('Y', "M0 0L6 8L12 0M6 8V16"),
    ('Z', "M1 0H11L1 16H11"),
    ('0', "M6 0A5 8 0 0 0 6 16A5 8 0 0 0 6 0ZM9 4L3 12"),
    ('1', "M3 3L7 0V16M3 16H11"),
    ('2', "M1 4A5 4 0 0 1 11 4C11 8 4 11 1 16H11"),
    ('3', "M1 1A5 4 0 1 1 5 8A5 4 0 1 1 1 15"),
    ('4', "M9 16V0L1 11H12"),
    ('5', "M10 0H2L1 7A5 5 0 1 1 1 14"),
    ('6', "M9 0L2 9A5 4.5 0 1 0 3 8"),
    ('7', "M1 0H11L4 16"),
    ('8', "M6 8A4 4 0 0 1 6 0A4 4 0 0 1 6 8A5 4 0 0 0 6 16A5 4 0 0 0 6 8Z"),
    ('9', "M3 16L10 7A5 4.5 0 1 0 9 8"),
];

/// Draws the icon; a name without a Latin letter or digit gets a ring.
pub(crate) fn draw(name: &str, color: &str) -> String {
    let ink = ink_on(color);
    let (path, place) = match name.chars().find_map(stroke) {
        Some(path) => (path, " transform=\"translate(10 8)\""),
        None => ("M16 9A7 7 0 0 0 16 23A7 7 0 0 0 16 9Z", ""),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\" width=\"32\" height=\"32\">\
         <circle cx=\"16\" cy=\"16\" r=\"16\" fill=\"{color}\"/>\
         <path d=\"{path}\"{place} fill=\"none\" stroke=\"{ink}\" stroke-width=\"2.4\" \
         stroke-linecap=\"round\" stroke-linejoin=\"round\"/></svg>"
    )
}

/// The strokes of a Latin letter or digit, on a 12 by 16 grid.
pub(crate) fn stroke(letter: char) -> Option<&'static str> {
    let capital = letter.to_ascii_uppercase();
    STROKES.iter().find(|(known, _)| *known == capital).map(|(_, path)| *path)
}

/// The ink that is legible on the color.
pub(crate) fn ink_on(color: &str) -> &'static str {
    if is_light(color) { "#111827" } else { "#ffffff" }
}

/// Whether dark ink reads better on `#rrggbb`, by perceived luminance.
fn is_light(color: &str) -> bool {
    let channel = |from: usize| {
        color.get(from..from + 2).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or_default()
    };
    299 * channel(1) + 587 * channel(3) + 114 * channel(5) > 160_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ink_is_dark_on_light_and_light_on_dark() {
        assert!(draw("Berachain", "#fde68a").contains("#111827"));
        assert!(draw("Base", "#0052ff").contains("#ffffff"));
    }

    #[test]
    fn every_letter_and_digit_has_its_stroke() {
        for letter in ('A'..='Z').chain('0'..='9') {
            assert!(STROKES.iter().any(|(known, _)| *known == letter), "{letter}");
        }
    }

    #[test]
    fn a_name_without_a_latin_letter_gets_a_ring() {
        assert!(draw("链", "#0052ff").contains("M16 9A7 7"));
    }

    #[test]
    fn the_icon_needs_no_font_and_no_external_resource() {
        let icon = draw("Gnosis", "#04795b");
        assert!(!icon.contains("<text") && !icon.contains("href") && !icon.contains("<script"));
    }
}
