use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// A URL that prints only scheme and host, because path and query may contain a key.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct WebAddress(String);

impl WebAddress {
    #[cfg(test)]
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The whole URL.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    fn shown(&self) -> String {
        let Some((scheme, rest)) = self.0.split_once("://") else { return "***".to_owned() };
        let host = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        format!("{scheme}://{host}")
    }
}

impl fmt::Debug for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Serialize for WebAddress {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scheme_and_host_are_shown() {
        for text in [
            "https://shop.example:8443/hooks/hunter2",
            "https://shop.example:8443?key=hunter2",
            "https://me:hunter2@shop.example:8443/",
            "https://hunter2@shop.example:8443#hunter2",
        ] {
            let address = WebAddress::new(text);
            assert_eq!(format!("{address:?}"), "https://shop.example:8443");
            assert_eq!(address.expose(), text);
        }
        assert_eq!(format!("{:?}", WebAddress::new("hunter2")), "***");
    }
}
