//! One program for each crate with parsers. `CAUSEWAY_PARSER` names the one that is fuzzed, as its folder in `seeds` is named.

pub use libfuzzer_sys::fuzz_target;

pub type Parser = (&'static str, fn(&[u8]));

/// The parser that the environment names.
pub fn chosen(parsers: &[Parser]) -> fn(&[u8]) {
    let names: Vec<&str> = parsers.iter().map(|(name, _)| *name).collect();
    let wanted = std::env::var("CAUSEWAY_PARSER").unwrap_or_default();
    let found = parsers.iter().find(|(name, _)| *name == wanted);
    found.unwrap_or_else(|| panic!("CAUSEWAY_PARSER is none of {names:?}")).1
}

/// Fuzzes one of these parsers.
#[macro_export]
macro_rules! target {
    ($parsers:expr) => {
        static PARSER: std::sync::LazyLock<fn(&[u8])> = std::sync::LazyLock::new(|| $crate::chosen($parsers));
        $crate::fuzz_target!(|bytes: &[u8]| (*PARSER)(bytes));
    };
}
