use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use causeway_domain::ports::RampProfile;

use crate::fiat::read_order_request::is_origin;

/// Browser permissions that a checkout may get. Others that a provider requests are dropped.
const KNOWN_PERMISSIONS: [&str; 5] =
    ["payment", "camera", "microphone", "publickey-credentials-get", "clipboard-write"];

/// In sandbox mode every page on this machine may embed the checkout.
const LOOPBACK: &str = "http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*";

/// Who may embed the page, and who receives its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Embedding<'a> {
    pub(super) is_sandbox: bool,
    /// Configured by the operator.
    pub(super) origins: &'a [String],
    /// Our own public URL.
    pub(super) own: &'a str,
}

impl Embedding<'_> {
    /// Whether orders created from that origin may use the page.
    pub(super) fn allows(&self, origin: &str) -> bool {
        self.is_sandbox
            || origin_of(self.own) == Some(origin)
            || self.origins.iter().any(|listed| listed == origin)
    }

    /// The target origins of messages: the creator of the order if known, otherwise all that may embed the page.
    pub(super) fn targets(&self, creator: Option<&str>) -> Vec<String> {
        match creator {
            Some(origin) => vec![origin.to_owned()],
            None if self.is_sandbox => vec!["*".to_owned()],
            None => self.origins.to_vec(),
        }
    }

    fn ancestors(&self) -> String {
        let mut ancestors = "'self'".to_owned();
        if self.is_sandbox {
            ancestors.push(' ');
            ancestors.push_str(LOOPBACK);
        }
        for origin in self.origins.iter().filter(|origin| is_origin(origin)) {
            ancestors.push(' ');
            ancestors.push_str(origin);
        }
        ancestors
    }
}

/// The origin of an absolute URL.
pub(super) fn origin_of(url: &str) -> Option<&str> {
    let host = url.find("://")? + 3;
    let end = url.get(host..)?.find('/').map_or(url.len(), |slash| host + slash);
    url.get(..end)
}

/// The permissions that the provider's frame gets, as the `allow` attribute spells them.
pub(super) fn allow(profile: &RampProfile) -> String {
    let origins = origins(profile).join(" ");
    let grants = permissions(profile).map(|permission| format!("{permission} {origins}"));
    grants.collect::<Vec<_>>().join("; ")
}

fn permissions(profile: &RampProfile) -> impl Iterator<Item = &str> {
    profile.permissions.iter().map(String::as_str).filter(|wanted| KNOWN_PERMISSIONS.contains(wanted))
}

/// The valid origins of the provider's checkout.
pub(super) fn origins(profile: &RampProfile) -> Vec<&str> {
    profile.origins.iter().map(String::as_str).filter(|origin| is_origin(origin)).collect()
}

/// The headers of the page. Without a profile no frame is allowed.
pub(super) fn headers(nonce: &str, profile: Option<&RampProfile>, embedding: &Embedding<'_>) -> HeaderMap {
    let frames = profile.map(origins).filter(|origins| !origins.is_empty());
    let frames = frames.map_or_else(|| "'none'".to_owned(), |origins| origins.join(" "));
    let content = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src 'self'; connect-src 'self'; \
         frame-src {frames}; frame-ancestors {}; base-uri 'none'; form-action 'none'",
        embedding.ancestors(),
    );
    // A frame can only get permissions that the embedding page has too, so `self` is listed as well.
    let granted = |name: &str| profile.is_some_and(|profile| permissions(profile).any(|own| own == name));
    let quoted = profile.map(origins).unwrap_or_default();
    let quoted: Vec<String> = quoted.iter().map(|origin| format!("\"{origin}\"")).collect();
    let features = KNOWN_PERMISSIONS.iter().chain(&["geolocation", "usb", "serial", "hid", "bluetooth"]);
    let features: Vec<String> =
        features
            .map(|name| {
                if granted(name) {
                    format!("{name}=(self {})", quoted.join(" "))
                } else {
                    format!("{name}=()")
                }
            })
            .collect();
    let text = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        (header::CONTENT_SECURITY_POLICY, content),
        (HeaderName::from_static("permissions-policy"), features.join(", ")),
    ];
    let values = text.into_iter().filter_map(|(name, text)| Some((name, HeaderValue::try_from(text).ok()?)));
    values.collect()
}

#[cfg(test)]
mod tests {
    use causeway_domain::fiat::QuoteFirmness;

    use super::*;

    fn profile(permissions: &[&str]) -> RampProfile {
        RampProfile {
            id: "ramp".to_owned(),
            name: "Ramp".to_owned(),
            logo_url: None,
            chains: Vec::new(),
            currencies: Vec::new(),
            methods: Vec::new(),
            countries: Vec::new(),
            limits: Vec::new(),
            firmness: QuoteFirmness::Firm,
            webhooks: true,
            polling: true,
            origins: vec![
                "https://pay.ramp.example".to_owned(),
                "https://evil.example; script-src *".to_owned(),
            ],
            permissions: permissions.iter().map(|&text| text.to_owned()).collect(),
            session_for: None,
        }
    }

    fn header(headers: &HeaderMap, name: &str) -> String {
        headers.get(name).unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn in_production_only_configured_origins_may_embed_the_page() {
        let listed = vec!["https://dapp.example".to_owned()];
        let embedding = Embedding { is_sandbox: false, origins: &listed, own: "https://swap.example/base" };
        let headers = headers("abc", Some(&profile(&["payment"])), &embedding);
        let policy = header(&headers, "content-security-policy");
        assert!(policy.contains("frame-ancestors 'self' https://dapp.example;"), "{policy}");
        assert!(policy.contains("frame-src https://pay.ramp.example;"), "{policy}");
        assert!(policy.contains("script-src 'nonce-abc';") && !policy.contains("unsafe"), "{policy}");
        assert!(!policy.contains("evil"), "{policy}");
        assert!(embedding.allows("https://swap.example") && embedding.allows("https://dapp.example"));
        assert!(!embedding.allows("https://other.example"));
    }

    #[test]
    fn messages_go_to_the_creator_or_else_to_all_embedding_origins() {
        let listed = vec!["https://dapp.example".to_owned()];
        let production = Embedding { is_sandbox: false, origins: &listed, own: "https://swap.example" };
        assert_eq!(production.targets(Some("https://dapp.example")), ["https://dapp.example"]);
        assert_eq!(production.targets(None), ["https://dapp.example"]);
        let sandbox = Embedding { is_sandbox: true, origins: &[], own: "http://127.0.0.1:8080" };
        assert_eq!(sandbox.targets(None), ["*"]);
        assert_eq!(sandbox.targets(Some("http://127.0.0.1:3000")), ["http://127.0.0.1:3000"]);
    }

    #[test]
    fn only_known_permissions_are_granted_and_only_to_the_provider() {
        let profile = profile(&["payment", "geolocation", "camera; microphone"]);
        assert_eq!(allow(&profile), "payment https://pay.ramp.example");
        let sandbox = Embedding { is_sandbox: true, origins: &[], own: "http://127.0.0.1:8080" };
        let policy = header(&headers("abc", Some(&profile), &sandbox), "permissions-policy");
        assert!(policy.contains("payment=(self \"https://pay.ramp.example\")"), "{policy}");
        assert!(policy.contains("camera=()") && policy.contains("geolocation=()"), "{policy}");
        let nothing = headers("abc", None, &sandbox);
        assert!(header(&nothing, "content-security-policy").contains("frame-src 'none'"));
    }
}
