use alloy_primitives::{Address, B256, Bytes, U256, hex};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::jsonrpc::RpcError;

/// The parameters of one call, parsed with geth's error messages.
#[derive(Debug)]
pub(super) struct Params(Vec<Value>);

impl Params {
    /// Parses a call's parameters; at most `max` are allowed.
    pub(super) fn new(params: Value, max: usize) -> Result<Self, RpcError> {
        match params {
            Value::Array(values) if values.len() > max => {
                Err(RpcError::invalid_params(format!("too many arguments, want at most {max}")))
            }
            Value::Array(values) => Ok(Self(values)),
            Value::Null => Ok(Self(Vec::new())),
            _ => Err(RpcError::invalid_params("non-array args")),
        }
    }

    /// A parameter that is present and not null.
    pub(super) fn get(&self, index: usize) -> Option<&Value> {
        self.0.get(index).filter(|value| !value.is_null())
    }

    fn required(&self, index: usize) -> Result<&Value, RpcError> {
        self.get(index)
            .ok_or_else(|| RpcError::invalid_params(format!("missing value for required argument {index}")))
    }

    /// A required parameter, parsed by `read`.
    pub(super) fn read<T>(
        &self,
        index: usize,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Result<T, RpcError> {
        read(self.required(index)?).map_err(|why| invalid(index, &why))
    }

    pub(super) fn read_optional<T>(
        &self,
        index: usize,
        read: impl Fn(&Value) -> Result<T, String>,
    ) -> Result<Option<T>, RpcError> {
        self.get(index).map(|value| read(value).map_err(|why| invalid(index, &why))).transpose()
    }

    /// An argument of a structured type.
    pub(super) fn object<T: DeserializeOwned>(&self, index: usize) -> Result<T, RpcError> {
        self.read(index, structured)
    }

    pub(super) fn address(&self, index: usize) -> Result<Address, RpcError> {
        self.read(index, |value| fixed::<20>(value, "common.Address").map(Address::from))
    }

    pub(super) fn hash(&self, index: usize) -> Result<B256, RpcError> {
        self.read(index, hash)
    }

    pub(super) fn bytes(&self, index: usize) -> Result<Bytes, RpcError> {
        self.read(index, bytes)
    }

    pub(super) fn flag(&self, index: usize) -> Result<bool, RpcError> {
        let read = |value: &Value| value.as_bool().ok_or_else(|| wrong_kind(value, "bool"));
        Ok(self.read_optional(index, read)?.unwrap_or(false))
    }

    pub(super) fn quantity(&self, index: usize) -> Result<u64, RpcError> {
        self.read(index, quantity)
    }

    pub(super) fn slot(&self, index: usize) -> Result<U256, RpcError> {
        self.read(index, slot)
    }
}

/// A storage slot, whose leading zeros may be left out.
pub(super) fn slot(value: &Value) -> Result<U256, String> {
    let digits = digits(value, "common.Hash")?;
    if digits.len() > 64 {
        return Err(format!(
            "unable to decode storage key: hex string too long, want at most 32 bytes: {digits}"
        ));
    }
    let digits = if digits.is_empty() { "0" } else { digits };
    U256::from_str_radix(digits, 16).map_err(|_| "unable to decode storage key: hex string invalid".into())
}

/// Parses a type with serde and its error messages.
pub(super) fn structured<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| error.to_string())
}

pub(super) fn hash(value: &Value) -> Result<B256, String> {
    fixed::<32>(value, "common.Hash").map(B256::from)
}

fn invalid(index: usize, why: &str) -> RpcError {
    RpcError::invalid_params(format!("invalid argument {index}: {why}"))
}

fn wrong_kind(value: &Value, wanted: &str) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("json: cannot unmarshal {found} into Go value of type {wanted}")
}

fn digits<'a>(value: &'a Value, wanted: &str) -> Result<&'a str, String> {
    let text = value.as_str().ok_or_else(|| wrong_kind(value, wanted))?;
    text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).ok_or_else(|| {
        format!("json: cannot unmarshal hex string without 0x prefix into Go value of type {wanted}")
    })
}

fn bytes(value: &Value) -> Result<Bytes, String> {
    let wanted = "hexutil.Bytes";
    let digits = digits(value, wanted)?;
    if !digits.len().is_multiple_of(2) {
        return Err(format!(
            "json: cannot unmarshal hex string of odd length into Go value of type {wanted}"
        ));
    }
    hex::decode(digits)
        .map(Bytes::from)
        .map_err(|_| format!("json: cannot unmarshal invalid hex string into Go value of type {wanted}"))
}

fn fixed<const N: usize>(value: &Value, wanted: &str) -> Result<[u8; N], String> {
    let digits = digits(value, wanted)?;
    if digits.len() != N * 2 {
        return Err(format!("hex string has length {}, want {} for {wanted}", digits.len(), N * 2));
    }
    hex::decode_to_array(digits)
        .map_err(|_| format!("json: cannot unmarshal invalid hex string into Go value of type {wanted}"))
}

/// A number as nodes write it, or as JSON does.
pub(super) fn quantity(value: &Value) -> Result<u64, String> {
    match value.as_u64() {
        Some(number) => Ok(number),
        None => hex_quantity(value, "hexutil.Uint64"),
    }
}

/// A number as nodes write it: hexadecimal, without leading zeros.
pub(super) fn hex_quantity(value: &Value, wanted: &str) -> Result<u64, String> {
    let digits = digits(value, wanted)?;
    match digits {
        "" => Err(format!("json: cannot unmarshal hex string \"0x\" into Go value of type {wanted}")),
        _ if digits.len() > 1 && digits.starts_with('0') => Err(format!(
            "json: cannot unmarshal hex number with leading zero digits into Go value of type {wanted}"
        )),
        _ if digits.len() > 16 => {
            Err(format!("json: cannot unmarshal hex number > 64 bits into Go value of type {wanted}"))
        }
        _ => u64::from_str_radix(digits, 16)
            .map_err(|_| format!("json: cannot unmarshal invalid hex string into Go value of type {wanted}")),
    }
}
