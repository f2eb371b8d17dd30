use std::fmt;

use causeway_wire::Warning;

use crate::Error;

/// Decides about a severe warning.
type Accept = Box<dyn Fn(&Warning) -> bool + Send + Sync>;

/// Which severe warnings the caller accepts.
pub(super) struct AcceptedWarnings(Accept);

impl Default for AcceptedWarnings {
    fn default() -> Self {
        Self(Box::new(|_| false))
    }
}

impl fmt::Debug for AcceptedWarnings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AcceptedWarnings(…)")
    }
}

impl AcceptedWarnings {
    pub(super) fn by_code<C: Into<String>>(codes: impl IntoIterator<Item = C>) -> Self {
        let codes: Vec<String> = codes.into_iter().map(Into::into).collect();
        Self::by(move |warning| codes.contains(&warning.code))
    }

    pub(super) fn by(accept: impl Fn(&Warning) -> bool + Send + Sync + 'static) -> Self {
        Self(Box::new(accept))
    }

    /// Fails with the severe warnings that are not accepted.
    pub(super) fn check(&self, warnings: &[Warning]) -> Result<(), Error> {
        let is_refused = |warning: &&Warning| warning.severity == "severe" && !(self.0)(warning);
        let refused: Vec<Warning> = warnings.iter().filter(is_refused).cloned().collect();
        if refused.is_empty() { Ok(()) } else { Err(Error::Warned(refused)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(code: &str, severity: &str) -> Warning {
        let message = format!("About {code}.");
        Warning { code: code.to_owned(), severity: severity.to_owned(), message, field: None }
    }

    #[test]
    fn only_severe_warnings_need_to_be_accepted_and_each_by_its_code() {
        let all = [warning("HIGH_FEES", "warning"), warning("NO_WAY_OUT", "severe"), warning("X", "severe")];
        let refused = |accepted: &AcceptedWarnings| match accepted.check(&all) {
            Ok(()) => Vec::new(),
            Err(Error::Warned(refused)) => refused.into_iter().map(|warning| warning.code).collect(),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(refused(&AcceptedWarnings::default()), ["NO_WAY_OUT", "X"]);
        assert_eq!(refused(&AcceptedWarnings::by_code(["NO_WAY_OUT"])), ["X"]);
        assert!(refused(&AcceptedWarnings::by_code(["X", "NO_WAY_OUT"])).is_empty());
        let words = AcceptedWarnings::by_code(["X"]).check(&all).unwrap_err().to_string();
        assert_eq!(words, "A severe warning was not accepted: NO_WAY_OUT: About NO_WAY_OUT.");
    }
}
