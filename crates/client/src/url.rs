use reqwest::Url;

/// The base URL of a service, without a trailing slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseUrl(Url);

impl BaseUrl {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut url = Url::parse(text.trim()).map_err(|_| "it is not a URL such as https://swap.example")?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("it must begin with http:// or https://");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("it must end before `?` and `#`");
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    pub(crate) const fn as_url(&self) -> &Url {
        &self.0
    }

    /// The address of a path of this URL's origin; an absolute URL stays as it is.
    pub(crate) fn resolve(&self, text: &str) -> Result<Self, &'static str> {
        let mut origin = self.0.clone();
        origin.set_path("/");
        let url = origin.join(text.trim()).map_err(|_| "it is neither a URL nor a path")?;
        Self::parse(url.as_str())
    }

    /// Appends path segments, each escaped as needed.
    pub(crate) fn join(&self, segments: &[&str]) -> Url {
        let mut url = self.0.clone();
        // Only URLs that cannot be a base have no segments, and http(s) URLs always can.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }
}

/// Whether the URL names this machine.
pub(crate) fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A query string without the parameters that are `None`.
#[derive(Debug, Default)]
pub(crate) struct Query(Vec<(&'static str, String)>);

impl Query {
    pub(crate) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.0.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Adds a comma-joined list; an empty list is omitted.
    pub(crate) fn list<T: ToString>(self, name: &'static str, values: &[T]) -> Self {
        let joined = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        self.with(name, (!values.is_empty()).then_some(joined))
    }

    pub(crate) fn append_to(self, mut url: Url) -> Url {
        if !self.0.is_empty() {
            url.query_pairs_mut().extend_pairs(self.0);
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn joined(base: &str, segments: &[&str]) -> String {
        BaseUrl::parse(base).unwrap().join(segments).to_string()
    }

    #[test]
    fn trailing_slashes_of_a_base_url_are_ignored() {
        for base in [
            "http://swap.example",
            "http://swap.example/",
            "http://swap.example///",
            " http://swap.example/ ",
        ] {
            assert_eq!(joined(base, &["v1", "chains"]), "http://swap.example/v1/chains", "{base}");
        }
        for base in ["https://example.com/swap", "https://example.com/swap//"] {
            assert_eq!(joined(base, &["v1", "chains"]), "https://example.com/swap/v1/chains", "{base}");
        }
    }

    #[test]
    fn invalid_base_url_is_rejected() {
        for bad in
            ["", "swap.example", "ftp://swap.example", "http://", "http://swap.example/?a=1", "http://a/#b"]
        {
            assert!(BaseUrl::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn lists_are_comma_joined_and_empty_ones_omitted() {
        let base = BaseUrl::parse("http://a").unwrap().join(&["v1"]);
        let query =
            Query::default().list("chainIds", &[1, 8453]).list::<u64>("none", &[]).with("q", Some("a&b"));
        assert_eq!(query.append_to(base.clone()).query(), Some("chainIds=1%2C8453&q=a%26b"));
        assert_eq!(Query::default().with("q", None::<u8>).append_to(base.clone()), base);
    }

    proptest! {
        #[test]
        fn segment_cannot_become_another_path_or_a_query(segment in ".*") {
            let url = BaseUrl::parse("http://a/b").unwrap().join(&["v1", &segment]);
            prop_assert!(url.path().starts_with("/b/v1"));
            prop_assert!(url.path().matches('/').count() <= 3, "{}", url);
            prop_assert_eq!((url.query(), url.fragment()), (None, None));
        }
    }
}
