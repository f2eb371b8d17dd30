use serde_json::Value;

use crate::address::Query;
use crate::http::with_body;
use crate::{Client, Error};

pub use reqwest::Method;

impl Client {
    /// Calls a path for which there is no typed call, such as those of operators; each segment is escaped as needed. An answer
    /// without a body is `null`.
    pub async fn call(
        &self,
        method: Method,
        path: &[&str],
        query: &[(&'static str, String)],
        body: Option<&Value>,
    ) -> Result<Value, Error> {
        let query = query.iter().fold(Query::default(), |all, (name, value)| all.with(name, Some(value)));
        let url = query.onto(self.base.join(path));
        let answer = match body {
            Some(body) => self.ask(with_body(method, url, body)?).await?,
            None => self.ask(reqwest::Request::new(method, url)).await?,
        };
        if answer.body.is_empty() { Ok(Value::Null) } else { answer.json() }
    }
}
