use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// A redacted text: a URL prints its host, everything else prints nothing.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: String) -> Self {
        Self(text)
    }

    /// The secret itself.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// `postgres://user:***@host/db`; options may hold passwords too and are hidden.
    fn redacted(&self) -> String {
        let Some((scheme, rest)) = self.0.split_once("://") else { return "***".to_owned() };
        let (rest, options) = rest.find(['?', '#']).map_or((rest, ""), |at| rest.split_at(at));
        // The password contains such a mark, so the text before it is part of the password.
        if options.contains('@') {
            return format!("{scheme}://***");
        }
        match rest.rsplit_once('@') {
            Some((user, host)) => {
                let user = user.split(':').next().unwrap_or_default();
                format!("{scheme}://{user}:***@{host}")
            }
            None => format!("{scheme}://{rest}"),
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.redacted())
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.redacted())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_redacted() {
        for text in [
            "postgres://me:pass@host/db",
            "postgres://me:p@ss@host/db",
            "postgres://me@host/db?password=pass",
            "pass",
            "postgres://me:pass:word@host/db#pass",
            "postgres://me:pass?word@host/db",
            "postgres://me:pass#word@host/db?x=@",
        ] {
            let shown = format!("{:?}", Secret::new(text.to_owned()));
            assert!(!shown.contains("pass") && !shown.contains("p@ss"), "{shown}");
        }
        assert_eq!(
            format!("{:?}", Secret::new("postgres://me:x@host:5432/db".to_owned())),
            "postgres://me:***@host:5432/db"
        );
    }
}
