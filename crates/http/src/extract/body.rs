use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde_json::{Map, Value};

use super::Issues;
use crate::BODY_LIMIT;
use crate::error::ApiError;

/// A JSON object as the client sent it. The media type is not asked for: there is only JSON here.
#[derive(Debug)]
pub(crate) struct Body(Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            if rejection.into_response().status() == StatusCode::PAYLOAD_TOO_LARGE {
                ApiError::payload_too_large(BODY_LIMIT)
            } else {
                refuse("the request body could not be read to its end")
            }
        })?;
        Self::parse(&bytes)
    }
}

impl Body {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, ApiError> {
        if bytes.is_empty() {
            return Err(refuse("a JSON object is required as the request body"));
        }
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(map)) => Ok(Self(map)),
            Ok(_) => Err(refuse("must be a JSON object")),
            Err(error) => {
                Err(refuse(&format!("is not valid JSON at line {}, column {}", error.line(), error.column())))
            }
        }
    }

    pub(crate) fn fields(self) -> Fields {
        Fields { map: self.0, issues: Issues::default() }
    }
}

fn refuse(message: &str) -> ApiError {
    ApiError::validation(&[causeway_wire::Issue { path: "body".to_owned(), message: message.to_owned() }])
}

/// The fields of a body and what is wrong with them; `null` counts as absent, unknown fields are ignored.
#[derive(Debug)]
pub(crate) struct Fields {
    map: Map<String, Value>,
    pub(crate) issues: Issues,
}

impl Fields {
    fn value(&self, name: &str) -> Option<&Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// A text, taken out: who reads it again finds nothing.
    pub(crate) fn string(&mut self, name: &str) -> Option<String> {
        let value = self.map.get_mut(name)?;
        match value.take() {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => {
                *value = other;
                self.issues.add(name, "must be a string");
                None
            }
        }
    }

    /// Whether the field stands at all, of whatever type.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// An object inside the body.
    pub(crate) fn object(&mut self, name: &str) -> Option<Map<String, Value>> {
        match self.value(name) {
            None => None,
            Some(Value::Object(map)) => Some(map.clone()),
            Some(_) => {
                self.issues.add(name, "must be an object");
                None
            }
        }
    }

    pub(crate) fn required_string(&mut self, name: &str) -> Option<String> {
        if self.value(name).is_none() {
            self.issues.add(name, "is required");
            return None;
        }
        self.string(name)
    }

    /// A whole number that must be there.
    pub(crate) fn required_integer(&mut self, name: &str) -> Option<u64> {
        if self.value(name).is_none() {
            self.issues.add(name, "is required");
        }
        self.integer(name)
    }

    /// A whole number that may be left out.
    pub(crate) fn integer(&mut self, name: &str) -> Option<u64> {
        let number = self.value(name)?.as_u64();
        if number.is_none() {
            self.issues.add(name, "must be a whole number");
        }
        number
    }

    /// A number as decimal text, so that no float travels further in.
    pub(crate) fn decimal(&mut self, name: &str) -> Option<String> {
        match self.value(name) {
            None => None,
            // `Display` of a float never uses an exponent and prints the shortest text that reads back.
            Some(Value::Number(number)) => number.as_f64().map(|value| value.to_string()),
            Some(_) => {
                self.issues.add(name, "must be a number");
                None
            }
        }
    }

    /// Texts in an array; absent means none.
    pub(crate) fn strings(&mut self, name: &str) -> Vec<String> {
        let texts = match self.value(name) {
            None => Some(Vec::new()),
            Some(Value::Array(items)) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
            Some(_) => None,
        };
        texts.unwrap_or_else(|| {
            self.issues.add(name, "must be an array of strings");
            Vec::new()
        })
    }

    pub(crate) fn finish(self) -> Result<(), ApiError> {
        self.issues.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_json_tells_line_and_column() {
        let error = Body::parse(b"{\n  \"amount\": 1,\n}").unwrap_err();
        assert!(format!("{error:?}").contains("line 3, column 1"), "{error:?}");
        for other in [&b""[..], b"[]", b"null", b"\"text\"", b"\xff"] {
            assert!(Body::parse(other).is_err());
        }
    }

    #[test]
    fn all_problems_of_a_body_are_told_at_once() {
        let mut fields = Body::parse(br#"{"a":1,"c":"x","d":"y","e":[1],"f":null}"#).unwrap().fields();
        fields.required_string("a");
        fields.required_string("b");
        fields.required_integer("c");
        fields.decimal("d");
        fields.strings("e");
        assert_eq!(fields.string("f"), None);
        let error = format!("{:?}", fields.finish().unwrap_err());
        assert_eq!(error.matches("\"path\"").count(), 5, "{error}");
    }
}
