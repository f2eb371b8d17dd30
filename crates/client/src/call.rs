use serde_json::Value;

use crate::http::with_body;
use crate::url::Query;
use crate::{Client, Error};

pub use reqwest::Method;

impl Client {
    /// Calls an endpoint without a typed method, such as those of the operator API. Each segment is escaped as needed. A response
    /// without a body is `null`.
    pub async fn call(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&'static str, String)],
        body: Option<&Value>,
    ) -> Result<Value, Error> {
        let query = query.iter().fold(Query::default(), |all, (name, value)| all.with(name, Some(value)));
        let url = query.append_to(self.base.join(path));
        let response = match body {
            Some(body) => self.request(with_body(method, url, body)?).await?,
            None => self.request(reqwest::Request::new(method, url)).await?,
        };
        if response.body.is_empty() { Ok(Value::Null) } else { response.json() }
    }
}
