use proptest::prelude::*;
use qrcodegen::{Mask, QrCode, QrCodeEcc, QrSegment, Version as Number};

use super::penalty::penalty;
use super::version::{Correction, Version};
use super::{Symbol, mask};

/// The same text in the same version and mask, drawn by an established encoder.
fn reference(text: &str, version: Version, mask: u8) -> Vec<bool> {
    let level = match version.correction {
        Correction::Low => QrCodeEcc::Low,
        Correction::Medium => QrCodeEcc::Medium,
    };
    let number = Number::new(u8::try_from(version.number).unwrap());
    let segments = [QrSegment::make_bytes(text.as_bytes())];
    let mask = Some(Mask::new(mask));
    let code = QrCode::encode_segments_advanced(&segments, level, number, number, mask, false).unwrap();
    let places = (0..code.size()).flat_map(|row| (0..code.size()).map(move |column| (row, column)));
    places.map(|(row, column)| code.get_module(column, row)).collect()
}

fn modules(symbol: &Symbol) -> Vec<bool> {
    let places = (0..symbol.size).flat_map(|row| (0..symbol.size).map(move |column| (row, column)));
    places.map(|(row, column)| symbol.grid.get(row, column)).collect()
}

/// The mask number in a symbol: three bits next to the first finder, two of them always inverted.
fn mask_of(symbol: &Symbol) -> u8 {
    let bit = |column| u8::from(symbol.grid.get(8, column));
    (bit(2) << 2 | bit(3) << 1 | bit(4)) ^ 0b101
}

fn is_drawn_like_the_reference(text: &str, version: Version) -> bool {
    let ours = Symbol::draw(text, version, mask::acceptable_penalty(version.size()));
    modules(&ours) == reference(text, version, mask_of(&ours))
}

#[test]
fn every_version_at_both_levels_has_the_modules_of_an_established_encoder() {
    for correction in [Correction::Low, Correction::Medium] {
        for version in Version::all(correction) {
            for len in [0, version.capacity() / 2, version.capacity()] {
                let text: String = ('!'..='~').cycle().take(len).collect();
                assert!(is_drawn_like_the_reference(&text, version), "{version:?} with {len} bytes");
            }
        }
    }
}

#[test]
fn the_smallest_symbol_at_medium_correction_is_chosen_and_low_only_if_there_is_none() {
    let chosen = |len| Version::for_bytes(len).map(|version| (version.number, version.correction));
    assert_eq!(chosen(14), Some((1, Correction::Medium)));
    assert_eq!(chosen(15), Some((2, Correction::Medium)));
    assert_eq!(chosen(180), Some((9, Correction::Medium)));
    assert_eq!(chosen(181), Some((10, Correction::Medium)));
    assert_eq!(chosen(2331), Some((40, Correction::Medium)));
    assert_eq!(chosen(2332), Some((36, Correction::Low)));
    assert_eq!(chosen(Symbol::MAX_BYTES), Some((40, Correction::Low)));
    assert_eq!(chosen(Symbol::MAX_BYTES + 1), None);
}

#[test]
fn content_that_resonates_with_the_preferred_mask_gets_another_one() {
    let symbols = || (' '..='~').map(|letter| Symbol::encode(&letter.to_string().repeat(300)).unwrap());
    let preferred = |symbol: &Symbol| usize::from(mask_of(symbol)) == mask::ORDER[0];
    assert!(symbols().any(|symbol| preferred(&symbol)));
    assert!(symbols().any(|symbol| !preferred(&symbol)));
    assert!(
        symbols().all(|symbol| penalty(&symbol.grid, symbol.size) <= mask::acceptable_penalty(symbol.size))
    );
}

#[test]
fn without_an_acceptable_mask_the_best_of_all_eight_is_taken() {
    for text in ["", "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", &"f".repeat(200)] {
        let version = Version::for_bytes(text.len()).unwrap();
        let symbol = Symbol::draw(text, version, 0);
        let best = (0..8).map(|mask| slow_penalty(&reference(text, version, mask), symbol.size)).min();
        assert_eq!(Some(penalty(&symbol.grid, symbol.size)), best);
    }
}

/// The four rules of the standard, module by module.
fn slow_penalty(modules: &[bool], size: usize) -> usize {
    let at = |row: usize, column: usize| modules[row * size + column];
    let rows = (0..size).map(|row| (0..size).map(|column| at(row, column)).collect::<Vec<_>>());
    let columns = (0..size).map(|column| (0..size).map(|row| at(row, column)).collect::<Vec<_>>());
    let lines: usize = rows.chain(columns).map(|line| slow_line_penalty(&line)).sum();

    let corners = (0..size - 1).flat_map(|row| (0..size - 1).map(move |column| (row, column)));
    let squares = corners.filter(|&(row, column)| {
        let first = at(row, column);
        first == at(row, column + 1) && first == at(row + 1, column) && first == at(row + 1, column + 1)
    });
    let dark = modules.iter().filter(|&&dark| dark).count();
    let twentieths = (2 * dark).abs_diff(modules.len()) * 10 / modules.len();
    lines + 3 * squares.count() + 10 * twentieths
}

fn slow_line_penalty(line: &[bool]) -> usize {
    let runs = line.chunk_by(|a, b| a == b).map(<[bool]>::len);
    let long_runs: usize = runs.filter(|&len| len >= 5).map(|len| len - 2).sum();
    let mut framed = vec![false; 4];
    framed.extend(line);
    framed.extend([false; 4]);
    let finder = [true, false, true, true, true, false, true];
    let finders = framed.windows(11).map(|window| {
        let light_then_finder = !window[..4].contains(&true) && window[4..] == finder;
        let finder_then_light = !window[7..].contains(&true) && window[..7] == finder;
        usize::from(light_then_finder) + usize::from(finder_then_light)
    });
    long_runs + 40 * finders.sum::<usize>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_text_has_the_modules_of_an_established_encoder(text in "\\PC{0,200}") {
        let version = Version::for_bytes(text.len()).unwrap();
        prop_assert!(is_drawn_like_the_reference(&text, version));
    }

    #[test]
    fn the_penalty_is_that_of_the_four_rules_of_the_standard(text in "([ -~]{0,60}|[a-c]{200,900})") {
        let symbol = Symbol::encode(&text).unwrap();
        prop_assert_eq!(penalty(&symbol.grid, symbol.size), slow_penalty(&modules(&symbol), symbol.size));
    }
}
