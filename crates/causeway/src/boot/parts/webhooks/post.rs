use std::collections::HashSet;
use std::error::Error as _;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use causeway_domain::ports::WebhookTransport;
use causeway_http_client::{PublicNames, client_with, names_private_host, read_body, root_cause};
use reqwest::{Client, ClientBuilder, Url, header};

use crate::boot::config::Mode;

/// How long a receiver may take to acknowledge.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The response body is read only to reuse the connection.
const ANSWER_LIMIT: usize = 16 * 1024;
const ANSWER_TIMEOUT: Duration = Duration::from_millis(500);

/// Sends webhooks over HTTP.
#[derive(Clone, Debug)]
pub(crate) struct HttpPost {
    mode: Mode,
    /// Configured URLs that may be in a private network.
    private: HashSet<String>,
    /// Connects to every address.
    open: Client,
    /// Connects to public addresses only.
    guarded: Client,
}

impl HttpPost {
    pub(crate) fn new(mode: Mode, private: HashSet<String>) -> anyhow::Result<Self> {
        // A proxy would resolve names itself and bypass the address check.
        let open = client_with(TIMEOUT, ClientBuilder::no_proxy)?;
        let guarded = client_with(TIMEOUT, |builder| builder.no_proxy().dns_resolver(Arc::new(PublicNames)))?;
        Ok(Self { mode, private, open, guarded })
    }

    fn client(&self, url: &str) -> &Client {
        let anywhere = self.mode == Mode::Sandbox || self.private.contains(url);
        if anywhere { &self.open } else { &self.guarded }
    }
}

#[async_trait]
impl WebhookTransport for HttpPost {
    fn check(&self, url: &str) -> Result<(), String> {
        let read = Url::parse(url).map_err(|error| format!("it is not a URL: {error}"))?;
        let host = read.host_str().filter(|host| !host.is_empty()).ok_or("it has no host")?;
        if !matches!(read.scheme(), "http" | "https") {
            return Err("it must start with https://".to_owned());
        }
        if !read.username().is_empty() || read.password().is_some() {
            return Err(
                "it must not contain credentials; verify the signature of the request instead".to_owned()
            );
        }
        if self.private.contains(url) {
            return Ok(());
        }
        let literal: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let local = host == "localhost" || host.ends_with(".localhost");
        let loopback = literal.map_or(local, |address| address.is_loopback());
        match self.mode {
            Mode::Sandbox if read.scheme() == "http" && !loopback => {
                Err("it must start with https://; http is allowed only for loopback, such as http://127.0.0.1:3000/".to_owned())
            }
            Mode::Production if read.scheme() == "http" => {
                Err("it must start with https://, or be configured with `private = true`".to_owned())
            }
            Mode::Production if names_private_host(&read) => {
                Err("it is in a private network; configure it with `private = true`".to_owned())
            }
            _ => Ok(()),
        }
    }

    async fn post(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
    ) -> Result<u16, String> {
        // The mode or the configuration may have changed since the endpoint was added.
        self.check(url)?;
        let mut request = self.client(url).post(url).header(header::CONTENT_TYPE, "application/json");
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let response = request.body(body).send().await.map_err(describe_error)?;
        let status = response.status().as_u16();
        // Only the status counts.
        let _ = tokio::time::timeout(ANSWER_TIMEOUT, read_body(response, ANSWER_LIMIT)).await;
        Ok(status)
    }
}

/// The error without the URL, which may contain a key.
fn describe_error(error: reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", TIMEOUT.as_secs());
    }
    let what = if error.is_connect() { "cannot connect" } else { "the connection failed" };
    if error.source().is_none() { what.to_owned() } else { format!("{what}: {}", root_cause(error)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSIDE: &str = "http://10.0.0.7/hook";

    fn post(mode: Mode) -> HttpPost {
        HttpPost::new(mode, HashSet::from([INSIDE.to_owned()])).unwrap()
    }

    #[test]
    fn production_allows_public_https_and_configured_private_urls() {
        let post = post(Mode::Production);
        for url in ["https://shop.example/hook?key=1", "https://1.1.1.1/", INSIDE] {
            assert_eq!(post.check(url), Ok(()), "{url}");
        }
        for url in [
            "http://shop.example/",
            "https://127.0.0.1/",
            "https://localhost/",
            "https://[::1]/",
            "https://169.254.169.254/",
            "https://10.0.0.7/hook",
            "https://me:secret@shop.example/",
            "ftp://shop.example/",
            "shop.example",
            "https://2130706433/",
            "https://0x7f.1/",
        ] {
            assert!(post.check(url).is_err(), "{url}");
        }
    }

    #[test]
    fn sandbox_allows_http_on_loopback() {
        let post = post(Mode::Sandbox);
        for url in
            ["http://127.0.0.1:3000/hook", "http://localhost:3000", "http://[::1]/", "https://10.0.0.1/"]
        {
            assert_eq!(post.check(url), Ok(()), "{url}");
        }
        assert!(post.check("http://shop.example/").is_err());
    }

    #[tokio::test]
    async fn name_that_resolves_to_a_private_address_is_refused() {
        let post = post(Mode::Production);
        let client = post.client("https://shop.example/");
        let error = client.get("http://localhost:1/").send().await.unwrap_err();
        let message = describe_error(error);
        assert!(message.contains("open internet"), "{message}");
    }
}
