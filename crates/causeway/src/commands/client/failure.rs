use std::process::ExitCode;

use causeway_client::wire::{FiatOrderView, FiatProviderError, FillerReason, Issue};
use causeway_client::{ConfigError, Error};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error as ThisError;

/// Why a client command failed; each class has its own exit code.
#[derive(Debug, ThisError)]
pub(crate) enum Failure {
    /// Invalid arguments.
    #[error("{0}")]
    Usage(String),
    #[error("{}", explain(.0))]
    Client(Box<Error>),
    /// A failure of the client, in words of the command line.
    #[error("{message}")]
    Explained { message: String, error: Box<Error> },
    /// A failure of this machine: a file, the terminal.
    #[error("{0}")]
    Local(String),
    /// No provider has an offer.
    #[error("{0}")]
    NoOffer(String),
    /// A purchase that ended without the crypto.
    #[error("{}", not_completed_message(.0))]
    NotCompleted(Box<FiatOrderView>),
    /// Interrupted or declined by the user.
    #[error("{0}")]
    Stopped(String),
}

/// What every exit code means; the manual prints it.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    success: the result is printed, the swap is filled, the purchase is completed
  1    a local failure, such as a file that cannot be written
  2    invalid arguments: an unknown token, chain or option, a malformed amount, no key
  3    the service rejected the request
  4    the service is unreachable, timed out, failed, or answered with something other than its API allows
  5    nobody offers this swap or purchase, or only with a severe warning; or the quote has expired
  6    the wallet or the chain refused; nothing was swapped
  7    the order ended unfilled (the deposit is refunded), or the purchase ended uncompleted
  130  stopped by Ctrl-C or by answering no; an order that exists continues: causeway track ORDER";

impl Failure {
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// Adds where the service was looked for, if it could not be reached.
    pub(crate) fn at(self, url: &str) -> Self {
        match self {
            Self::Client(error) if matches!(*error, Error::Transport { .. }) => {
                let message = format!(
                    "{error}\n  Its address is {url}; --url or CAUSEWAY_URL names another one.\n  \
                     `causeway` starts a service on this machine."
                );
                Self::Explained { message, error }
            }
            other => other,
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.number())
    }

    fn number(&self) -> u8 {
        match self {
            Self::Local(_) => 1,
            Self::Usage(_) => 2,
            Self::Client(error) | Self::Explained { error, .. } => number(error),
            Self::NoOffer(_) => 5,
            Self::NotCompleted(_) => 7,
            Self::Stopped(_) => 130,
        }
    }

    /// The failure for programs that read the output.
    pub(crate) fn json(&self) -> Value {
        let mut error = json!({ "message": self.to_string(), "exitCode": self.number() });
        if let Self::NotCompleted(view) = self {
            error["order"] = json!(view);
        }
        if let Self::Client(inner) | Self::Explained { error: inner, .. } = self {
            error["message"] = json!(inner.to_string());
            error["class"] = json!(inner.class());
            error["code"] = json!(inner.code());
            if let Some(details) = inner.details() {
                error["status"] = json!(details.status);
                error["body"] = details.body.clone();
            }
            if let Error::Warned(warnings) = &**inner {
                error["warnings"] = json!(warnings);
            }
            if let Error::OrderFailed(order) = &**inner {
                error["order"] = json!(order);
            }
        }
        json!({ "error": error })
    }
}

fn number(error: &Error) -> u8 {
    match error {
        Error::InvalidBound(_) => 2,
        Error::CannotFill(_)
        | Error::FiatAmount(_)
        | Error::NoRoute { .. }
        | Error::Warned(_)
        | Error::QuoteExpired(_) => 5,
        Error::Broadcast(_) | Error::Wallet(_) => 6,
        Error::OrderFailed(_) => 7,
        Error::ApiAborted => 130,
        Error::InvalidResponse { .. } => 4,
        _ if error.is_transient() => 4,
        _ => 3,
    }
}

fn not_completed_message(view: &FiatOrderView) -> String {
    let failure = view.failure.as_ref();
    let reason = failure.map(|failure| failure.message.as_deref().unwrap_or(&failure.reason));
    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("the purchase is {}{reason}", view.status)
}

/// The flags of fields that the service names by its own words.
const FLAGS: [(&str, &str); 6] = [
    ("recipient", "--to"),
    ("refundTo", "--refund-to"),
    ("fromAddress", "--from"),
    ("slippageTolerance", "--slippage"),
    ("paymentMethod", "--pay-by"),
    ("country", "--country"),
];

/// What a person has typed for a field of a request.
fn flag_of(path: &str) -> &str {
    FLAGS.into_iter().find(|(field, _)| *field == path).map_or(path, |(_, flag)| flag)
}

/// The service's message, and below it each listed detail.
fn explain(error: &Error) -> String {
    let details = error.details().map(|details| &details.body["details"]);
    let issues = listed::<Issue>(details, "issues");
    let mut message = error.to_string();
    for Issue { path, .. } in &issues {
        message = message.replace(&format!("{path}: "), &format!("{}: ", flag_of(path)));
    }
    let issues = issues.into_iter().map(|issue| (flag_of(&issue.path).to_owned(), issue.message));
    let reasons = listed::<FillerReason>(details, "reasons").into_iter().map(|no| (no.filler, no.reason));
    let offers =
        listed::<FiatProviderError>(details, "errors").into_iter().map(|no| (no.provider, no.message));
    // A single detail is often the whole message.
    let listed = issues.chain(reasons).chain(offers).filter(|(_, why)| !message.contains(why));
    let lines = listed.map(|(who, why)| format!("\n  {who}: {why}"));
    format!("{message}{}", lines.collect::<String>())
}

fn listed<T: DeserializeOwned>(details: Option<&Value>, name: &str) -> Vec<T> {
    let list = details.and_then(|details| details.get(name)).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|item| serde_json::from_value(item.clone()).ok()).collect()
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Client(Box::new(error))
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Usage(format!("{error}; see --url"))
    }
}

impl From<causeway_qr::Error> for Failure {
    fn from(error: causeway_qr::Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Local(error.to_string())
    }
}
