use std::io::{self, ErrorKind, Write as _};

use serde::Serialize;

use super::failure::Failure;

/// Prints a result. A reader who has gone away, as `head` does, is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let text = text.trim_end_matches('\n');
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints a result for programs: one document, indented.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&serde_json::to_string_pretty(value).map_err(|error| Failure::Here(error.to_string()))?)
}

/// Says something beside the results.
pub(crate) fn say(text: &str) {
    // Nobody is left to be told if standard error is closed too.
    let _ = writeln!(io::stderr().lock(), "{text}");
}
