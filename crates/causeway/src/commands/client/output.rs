use std::io::{self, ErrorKind, Write as _};

use serde::Serialize;

use super::failure::Failure;

/// Prints a result. A closed pipe, as with `head`, is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let text = text.trim_end_matches('\n');
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints a result for programs: one document, indented.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&serde_json::to_string_pretty(value).map_err(|error| Failure::Local(error.to_string()))?)
}

/// Prints a notice on standard error.
pub(crate) fn notice(text: &str) {
    // Nothing is left to do if standard error is closed too.
    let _ = writeln!(io::stderr().lock(), "{text}");
}
