use std::fmt::Debug;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::jsonrpc::RpcError;

/// The positional parameters of a call.
#[derive(Debug)]
pub(super) struct Params(Vec<Value>);

impl Params {
    pub(super) fn new(params: Value) -> Result<Self, RpcError> {
        match params {
            Value::Array(values) => Ok(Self(values)),
            Value::Null => Ok(Self(Vec::new())),
            _ => Err(RpcError::invalid_params("`params` should be an array")),
        }
    }

    /// A required parameter.
    pub(super) fn required<T: DeserializeOwned>(&mut self, place: usize) -> Result<T, RpcError> {
        if let Some(value) = self.0.get_mut(place) {
            return read(value.take());
        }
        let least = place + 1;
        Err(RpcError::invalid_params(format!("`params` should have at least {least} argument(s)")))
    }

    /// An optional parameter.
    pub(super) fn optional<T: DeserializeOwned>(&mut self, place: usize) -> Result<Option<T>, RpcError> {
        self.0.get_mut(place).map_or(Ok(None), |value| read(value.take()))
    }

    /// An optional parameter with a default.
    pub(super) fn config<T: DeserializeOwned + Default>(&mut self, place: usize) -> Result<T, RpcError> {
        self.optional(place).map(Option::unwrap_or_default)
    }

    /// An address, a hash or a signature.
    pub(super) fn name<T: FromStr<Err: Debug>>(&mut self, place: usize) -> Result<T, RpcError> {
        parse(&self.required::<String>(place)?)
    }
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, RpcError> {
    serde_json::from_value(value)
        .map_err(|error| RpcError::invalid_params(format!("Invalid params: {error}.")))
}

/// Reads an address, a hash or a signature.
pub(super) fn parse<T: FromStr<Err: Debug>>(text: &str) -> Result<T, RpcError> {
    text.parse().map_err(|error| RpcError::invalid_params(format!("Invalid param: {error:?}")))
}

/// Refuses a list that is too long.
pub(super) fn at_most<T>(list: &[T], max: usize) -> Result<(), RpcError> {
    if list.len() > max {
        return Err(RpcError::invalid_params(format!("Too many inputs provided; max {max}")));
    }
    Ok(())
}
