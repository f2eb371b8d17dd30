use std::fmt;
use std::time::Duration;

use causeway_domain::ports::KeySignerError;
use jiff::{SignedDuration, Timestamp};
use reqwest::Client;
use serde::Deserialize;

use crate::http::ask;

/// Where an instance asks for its role.
pub(super) const INSTANCE_METADATA: &str = "http://169.254.169.254";

/// Credentials that end sooner than this are replaced.
const MARGIN: SignedDuration = SignedDuration::from_mins(5);

/// Who signs requests to AWS.
#[derive(Clone)]
pub struct Credentials {
    pub access_key: String,
    pub secret_key: String,
    pub session_token: Option<String>,
    /// Those of a role end.
    pub expires_at: Option<Timestamp>,
}

/// Nothing of it is shown but its name.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({})", self.access_key)
    }
}

impl Credentials {
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
    pub fn from_environment() -> Option<Self> {
        let variable = |name| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
        Some(Self {
            access_key: variable("AWS_ACCESS_KEY_ID")?,
            secret_key: variable("AWS_SECRET_ACCESS_KEY")?,
            session_token: variable("AWS_SESSION_TOKEN"),
            expires_at: None,
        })
    }

    pub(super) fn is_fresh(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| end.duration_since(now) > MARGIN)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RoleCredentials {
    access_key_id: String,
    secret_access_key: String,
    token: String,
    expiration: String,
}

/// The credentials of the instance's role, by the second version of the metadata service.
pub(super) async fn of_instance(
    http: &Client,
    base: &str,
    deadline: Duration,
) -> Result<Credentials, KeySignerError> {
    let text = |body: Vec<u8>| String::from_utf8(body).map_err(|_| unexpected("is no text"));
    let put = http.put(format!("{base}/latest/api/token"));
    let put = put.header("x-aws-ec2-metadata-token-ttl-seconds", "21600").header("content-length", "0");
    let token = text(ask(put, deadline).await?)?;
    let get = |url: String| http.get(url).header("x-aws-ec2-metadata-token", token.trim());
    let roles = format!("{base}/latest/meta-data/iam/security-credentials/");
    let names = text(ask(get(roles.clone()), deadline).await?)?;
    let name = names.lines().next().map(str::trim).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| unexpected("names no role of the instance"))?;
    let body = ask(get(format!("{roles}{name}")), deadline).await?;
    let role: RoleCredentials =
        serde_json::from_slice(&body).map_err(|_| unexpected("has no credentials of the role"))?;
    Ok(Credentials {
        access_key: role.access_key_id,
        secret_key: role.secret_access_key,
        session_token: Some(role.token),
        expires_at: Some(role.expiration.parse().map_err(|_| unexpected("names no time"))?),
    })
}

fn unexpected(words: &str) -> KeySignerError {
    KeySignerError::InvalidAnswer(format!("the answer of the instance's metadata service {words}"))
}
