//! Runs the committed inputs of `fuzz/seeds` through the parsers of one crate, each as it is and with changes that follow from it.
//! A test module of every crate that is fuzzed includes this file, so that the ordinary tests cover what fuzzing does.

use std::fs;
use std::path::Path;

use super::Parser;

/// How many changed copies of each input are tried.
const CHANGES: u64 = 200;

/// Fails with the input that breaks a rule, and where a parser has no input or an input no parser.
pub(super) fn replay(area: &str, parsers: &[Parser]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(area);
    let listed = |folder: &Path| -> Vec<_> {
        let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    for known in listed(&folder) {
        let name = known.file_name().unwrap().to_str().unwrap();
        assert!(parsers.iter().any(|(parser, _)| *parser == name), "{name} is no parser");
    }
    for (name, parse) in parsers {
        let inputs = listed(&folder.join(name));
        assert!(!inputs.is_empty(), "{name} has no input");
        for path in inputs {
            let input = fs::read(&path).unwrap();
            for round in 0..=CHANGES {
                let changed = change(&input, round);
                let run = std::panic::catch_unwind(|| parse(&changed));
                assert!(
                    run.is_ok(),
                    "{}, change {round}: {:?}",
                    path.display(),
                    changed.escape_ascii().to_string()
                );
            }
        }
    }
}

/// The input itself in round zero, and otherwise with a few bytes changed, left out or repeated.
fn change(input: &[u8], round: u64) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let mut state = round.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 1).unwrap_or_default() % below.max(1)
    };
    for _ in 0..round % 5 {
        let (at, end) = (random(bytes.len()), random(bytes.len()));
        let (from, to) = (at.min(end), at.max(end));
        match random(6) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random(8),
            1 if !bytes.is_empty() => bytes[at] = b"\0 \"-.0179:[{ex\x80\xff"[random(16)],
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(from..to.min(from + 8))),
            4 => {
                let copy = bytes[from..to.min(from + 40)].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => bytes.insert(at, b"09afFxX.,:}]\n\xc3\0z"[random(16)]),
        }
    }
    bytes
}
