use std::borrow::Cow;
use std::fmt;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};

use super::Issues;
use crate::BODY_LIMIT;
use crate::error::ApiError;

/// The raw request body. The `Content-Type` header is ignored because every endpoint takes JSON.
#[derive(Debug)]
pub(crate) struct Body(Bytes);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            if rejection.into_response().status() == StatusCode::PAYLOAD_TOO_LARGE {
                ApiError::payload_too_large(BODY_LIMIT)
            } else {
                invalid_body("the request body could not be read to its end")
            }
        })?;
        Ok(Self(bytes))
    }
}

impl Body {
    #[cfg(test)]
    pub(crate) fn from_json(value: &Value) -> Self {
        Self(value.to_string().into())
    }

    #[cfg(any(test, fuzzing))]
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }

    /// Parses the body, which must be a JSON object.
    pub(crate) fn fields(&self) -> Result<Fields<'_>, ApiError> {
        if self.0.is_empty() {
            return Err(invalid_body("a JSON object is required as the request body"));
        }
        serde_json::from_slice(&self.0).map_err(|error| match error.classify() {
            Category::Data => invalid_body("must be a JSON object"),
            _ => invalid_body(&format!(
                "is not valid JSON at line {}, column {}",
                error.line(),
                error.column()
            )),
        })
    }
}

fn invalid_body(message: &str) -> ApiError {
    ApiError::validation(&[causeway_wire::Issue { path: "body".to_owned(), message: message.to_owned() }])
}

/// The fields of a body and the issues found in them. `null` counts as absent, unknown fields are ignored. Strings without
/// escapes are borrowed from the body.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    /// In the order received; the last of several fields with the same name wins.
    fields: Vec<(Cow<'a, str>, Field<'a>)>,
    pub(crate) issues: Issues,
}

impl<'a> Fields<'a> {
    fn value(&self, name: &str) -> Option<&Field<'a>> {
        let (_, value) = self.fields.iter().rfind(|(known, _)| known == name)?;
        (!matches!(value, Field::Other(Value::Null))).then_some(value)
    }

    /// An optional string.
    pub(crate) fn string(&mut self, name: &str) -> Option<Cow<'a, str>> {
        match self.value(name)? {
            Field::Text(text) => Some(text.clone()),
            Field::Other(_) => {
                self.issues.add(name, "must be a string");
                None
            }
        }
    }

    /// Whether the field is present, with a value of any type.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// An optional nested object.
    pub(crate) fn object(&mut self, name: &str) -> Option<Map<String, Value>> {
        let object = match self.value(name)? {
            Field::Other(value) => value.as_object().cloned(),
            Field::Text(_) => None,
        };
        if object.is_none() {
            self.issues.add(name, "must be an object");
        }
        object
    }

    pub(crate) fn required_string(&mut self, name: &str) -> Option<Cow<'a, str>> {
        if !self.has(name) {
            self.issues.add(name, "is required");
            return None;
        }
        self.string(name)
    }

    /// A required unsigned integer.
    pub(crate) fn required_integer(&mut self, name: &str) -> Option<u64> {
        if !self.has(name) {
            self.issues.add(name, "is required");
        }
        self.integer(name)
    }

    /// An optional unsigned integer.
    pub(crate) fn integer(&mut self, name: &str) -> Option<u64> {
        let number = match self.value(name)? {
            Field::Other(value) => whole_number(value),
            Field::Text(_) => None,
        };
        if number.is_none() {
            self.issues.add(name, "must be a whole number");
        }
        number
    }

    /// An optional number as decimal text, so that no float leaves this module.
    pub(crate) fn decimal(&mut self, name: &str) -> Option<String> {
        let number = match self.value(name)? {
            Field::Other(value) => value.as_f64(),
            Field::Text(_) => None,
        };
        if number.is_none() {
            self.issues.add(name, "must be a number");
        }
        // `Display` of a float never uses an exponent and prints the shortest text that round-trips.
        number.map(|value| value.to_string())
    }

    /// An array of strings; empty if absent.
    pub(crate) fn strings(&mut self, name: &str) -> Vec<String> {
        let texts = match self.value(name) {
            None => Some(Vec::new()),
            Some(Field::Other(Value::Array(items))) => {
                items.iter().map(|item| item.as_str().map(str::to_owned)).collect()
            }
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

/// An unsigned integer, also where it is written as `8453.0`: that is the same JSON number.
pub(crate) fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let float = value.as_f64().filter(|float| float.fract() == 0.0)?;
        // `Display` of a float never uses an exponent; what is too large for an integer is refused.
        float.to_string().parse().ok()
    })
}

/// One value of a body; only strings can be borrowed.
#[derive(Debug)]
enum Field<'a> {
    Text(Cow<'a, str>),
    Other(Value),
}

/// Initial capacity; most bodies have fewer fields.
const TYPICAL_FIELDS: usize = 16;

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::with_capacity(TYPICAL_FIELDS);
        while let Some(FieldName(name)) = map.next_key()? {
            fields.push((name, map.next_value()?));
        }
        Ok(Fields { fields, issues: Issues::default() })
    }
}

struct FieldName<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for FieldName<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(FieldVisitor)? {
            Field::Text(text) => Ok(Self(text)),
            Field::Other(_) => Err(serde::de::Error::custom("field names are strings")),
        }
    }
}

impl<'de> Deserialize<'de> for Field<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldVisitor)
    }
}

struct FieldVisitor;

impl<'de> Visitor<'de> for FieldVisitor {
    type Value = Field<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Field::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Field::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Field::Other(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Field::Other(value.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Field::Other(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Field::Other(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Field::Other(number.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(SeqAccessDeserializer::new(items)).map(Field::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(MapAccessDeserializer::new(map)).map(Field::Other)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(text: &'static [u8]) -> Result<(), String> {
        Body(Bytes::from_static(text)).fields().map(drop).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn malformed_json_error_has_line_and_column() {
        let error = read(b"{\n  \"amount\": 1,\n}").unwrap_err();
        assert!(error.contains("line 3, column 1"), "{error}");
        for other in [&b""[..], b"\xff", b"{} {}", b"{\"a\":\"\xff\"}", b"{\"a\":1e999}"] {
            assert!(read(other).is_err(), "{other:?}");
        }
        for other in [&b"[]"[..], b"null", b"\"text\"", b"7"] {
            assert!(read(other).unwrap_err().contains("must be a JSON object"), "{other:?}");
        }
    }

    #[test]
    fn all_issues_of_a_body_are_returned_together() {
        let body = Body::from_json(&json!({ "a": 1, "c": "x", "d": "y", "e": [1], "f": null }));
        let mut fields = body.fields().unwrap();
        fields.required_string("a");
        fields.required_string("b");
        fields.required_integer("c");
        fields.decimal("d");
        fields.strings("e");
        assert_eq!(fields.string("f"), None);
        let error = format!("{:?}", fields.finish().unwrap_err());
        assert_eq!(error.matches("\"path\"").count(), 5, "{error}");
    }

    #[test]
    fn whole_numbers_may_have_a_fraction_of_zero() {
        for (value, number) in
            [(json!(8453), Some(8453)), (json!(8453.0), Some(8453)), (json!(1e3), Some(1000))]
        {
            assert_eq!(whole_number(&value), number, "{value}");
        }
        for value in [json!(0.5), json!(-1), json!(-1.0), json!(1e300), json!("1"), json!(null)] {
            assert_eq!(whole_number(&value), None, "{value}");
        }
    }

    #[test]
    fn last_of_two_fields_with_the_same_name_wins() {
        let body = Body(Bytes::from_static(br#"{"a":"x","\u0061":"y","b":"x","b":null}"#));
        let mut fields = body.fields().unwrap();
        assert_eq!((fields.string("a").as_deref(), fields.has("b")), (Some("y"), false));
    }

    proptest! {
        #[test]
        fn fields_match_what_serde_json_reads(
            texts in prop::collection::btree_map("\\PC{0,5}|[\"\\\\\n\u{1}é]{0,3}", "\\PC{0,9}|[\"\\\\\n\u{1}é]{0,4}", 0..6),
            number in any::<u64>(),
        ) {
            let mut object: Map<String, Value> = texts.iter().map(|(name, text)| (name.clone(), json!(text))).collect();
            object.insert("a number".to_owned(), json!(number));
            object.insert("an object".to_owned(), json!({ "inside": [number, null, "x"] }));
            let body = Body::from_json(&object.clone().into());
            let mut fields = body.fields().unwrap();
            for (name, text) in &texts {
                let read = fields.string(name);
                prop_assert_eq!(read.as_deref(), Some(text.as_str()));
            }
            prop_assert_eq!(fields.integer("a number"), Some(number));
            prop_assert_eq!(fields.object("an object"), object["an object"].as_object().cloned());
            prop_assert!(fields.finish().is_ok());
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Body(bytes.into()).fields().is_ok();
        }
    }
}
