use std::io::{self, ErrorKind, Write as _};

use serde::Serialize;

use super::failure::Failure;

/// The text without characters that move the cursor of a terminal, colour or reorder what it shows. Words of services,
/// fillers and endpoints are strangers' words: they must not overwrite what somebody confirms.
pub(crate) fn plain(text: &str) -> String {
    text.chars().filter(|letter| matches!(letter, '\n' | '\t') || !steers_terminal(*letter)).collect()
}

/// The same without line breaks.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().filter(|letter| !steers_terminal(*letter)).collect()
}

fn steers_terminal(letter: char) -> bool {
    let reorders =
        matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    reorders || letter.is_control()
}

/// Prints a result.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    write_out(&plain(text))
}

/// Prints a drawing of ours, which may be coloured, and a text below it.
pub(crate) fn print_drawing(drawing: &str, text: &str) -> Result<(), Failure> {
    write_out(&format!("{drawing}\n{}", plain(text)))
}

/// A closed pipe, as with `head`, is no failure.
fn write_out(text: &str) -> Result<(), Failure> {
    let text = text.trim_end_matches('\n');
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints a result for programs: one document, indented.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    write_out(&serde_json::to_string_pretty(value).map_err(|error| Failure::Local(error.to_string()))?)
}

/// Prints a notice on standard error.
pub(crate) fn notice(text: &str) {
    // Nothing is left to do if standard error is closed too.
    let _ = writeln!(io::stderr().lock(), "{}", plain(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_strangers_do_not_steer_the_terminal() {
        let hostile = "USDC\u{1b}[2K\r\u{9b}1A\u{202e}\n\tETH\u{7f}";
        assert_eq!(plain(hostile), "USDC[2K1A\n\tETH");
        assert_eq!(one_line(hostile), "USDC[2K1AETH");
        assert_eq!(plain("1 → ¥ ✓"), "1 → ¥ ✓");
    }
}
