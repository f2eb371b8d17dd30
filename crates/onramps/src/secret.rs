use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// A provider's key or password from the configuration, redacted in `Debug` and serialization.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct SecretText(String);

impl SecretText {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself, for a request or a signature.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for SecretText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("***")
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_redacted_in_debug_and_serialization() {
        let secret = SecretText::new("sk_test_key");
        assert_eq!(format!("{secret:?}"), "SecretText(…)");
        assert_eq!(serde_json::to_string(&secret).unwrap(), "\"***\"");
    }
}
