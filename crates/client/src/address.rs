use reqwest::Url;

/// Where a service is, without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BaseAddress(Url);

impl BaseAddress {
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut url = Url::parse(text.trim()).map_err(|_| "it is no URL such as https://swap.example")?;
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

    /// The address of a path under it; each segment is escaped as needed.
    pub(crate) fn join(&self, segments: &[&str]) -> Url {
        let mut url = self.0.clone();
        // Only addresses that cannot be a base have no segments, and http(s) always can.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }
}

/// A query that leaves out what was not given.
#[derive(Debug, Default)]
pub(crate) struct Query(Vec<(&'static str, String)>);

impl Query {
    pub(crate) fn with(mut self, name: &'static str, value: Option<impl ToString>) -> Self {
        self.0.extend(value.map(|value| (name, value.to_string())));
        self
    }

    /// Comma-joined, as the contract has it; an empty list asks for everything.
    pub(crate) fn list<T: ToString>(self, name: &'static str, values: &[T]) -> Self {
        let joined = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        self.with(name, (!values.is_empty()).then_some(joined))
    }

    pub(crate) fn onto(self, mut url: Url) -> Url {
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
        BaseAddress::parse(base).unwrap().join(segments).to_string()
    }

    #[test]
    fn slashes_at_the_end_of_a_base_address_change_nothing() {
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
    fn an_address_that_cannot_work_is_refused() {
        for bad in
            ["", "swap.example", "ftp://swap.example", "http://", "http://swap.example/?a=1", "http://a/#b"]
        {
            assert!(BaseAddress::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_list_is_joined_by_commas_and_an_empty_one_left_out() {
        let base = BaseAddress::parse("http://a").unwrap().join(&["v1"]);
        let query =
            Query::default().list("chainIds", &[1, 8453]).list::<u64>("none", &[]).with("q", Some("a&b"));
        assert_eq!(query.onto(base.clone()).query(), Some("chainIds=1%2C8453&q=a%26b"));
        assert_eq!(Query::default().with("q", None::<u8>).onto(base.clone()), base);
    }

    proptest! {
        #[test]
        fn a_segment_never_becomes_another_path_or_a_query(segment in ".*") {
            let url = BaseAddress::parse("http://a/b").unwrap().join(&["v1", &segment]);
            prop_assert!(url.path().starts_with("/b/v1"));
            prop_assert!(url.path().matches('/').count() <= 3, "{}", url);
            prop_assert_eq!((url.query(), url.fragment()), (None, None));
        }
    }
}
