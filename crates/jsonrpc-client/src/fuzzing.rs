//! Answers of JSON-RPC servers, and their URLs, with the rules that hold for all of them. Compiled for fuzzing and for the test that
//! replays the committed inputs.

use serde::de::IgnoredAny;

use crate::url::RpcUrl;
use crate::wire::{Answers, ErrorObject, is_jsonrpc_error, read_answers, shorten};

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[("answers", answers), ("urls", urls)];

/// The longest message that is shown, with the mark of what was cut.
const MAX_SHOWN_CHARS: usize = 301;

fn is_shown_in_one_line(message: &str) {
    assert!(
        message.chars().count() <= MAX_SHOWN_CHARS && !message.chars().any(char::is_control),
        "{message}"
    );
}

fn is_bounded(error: &ErrorObject) {
    is_shown_in_one_line(&error.message);
    assert!(error.data.as_ref().is_none_or(|data| data.to_string().len() <= 256 * 1024));
}

fn answers(bytes: &[u8]) {
    let is_error = is_jsonrpc_error(bytes);
    for count in 0..4 {
        // Ids do not begin at zero once an endpoint has been asked.
        let ids: Vec<usize> = (7..7 + count).collect();
        match read_answers(bytes, &ids) {
            Ok(Answers::Each(answers)) => {
                assert_eq!(answers.len(), count, "one for each call");
                for answer in answers.into_iter().flatten() {
                    match answer {
                        Ok(result) => {
                            assert!(serde_json::from_str::<IgnoredAny>(result.get()).is_ok());
                        }
                        Err(error) => is_bounded(&error),
                    }
                }
            }
            Ok(Answers::BatchRefused(error)) => {
                assert!(count != 1 && is_error);
                is_bounded(&error);
            }
            Err(fault) => is_shown_in_one_line(&format!("{fault:?}").chars().take(300).collect::<String>()),
        }
    }
    if let Ok(text) = str::from_utf8(bytes) {
        is_shown_in_one_line(&shorten(text));
    }
}

/// A URL may contain a key in its path, query or user, which is never shown.
fn urls(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(url) = text.parse::<RpcUrl>() else { return };
    assert!(url.expose().starts_with("http://") || url.expose().starts_with("https://"));
    let shown = format!("{url} {url:?}");
    assert!(!shown.contains('?') && !shown.contains('@'), "{shown}");
    assert_eq!(url.expose().parse::<RpcUrl>().as_ref(), Ok(&url));
    let secrets = url.as_url().path_segments().into_iter().flatten().filter(|part| part.len() >= 8);
    for secret in secrets.filter(|secret| !secret.contains('*')) {
        let redacted = url.redact(&format!("error at {secret}!"));
        assert!(!redacted.contains(secret), "{redacted}");
    }
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("jsonrpc-client", super::PARSERS);
    }
}
