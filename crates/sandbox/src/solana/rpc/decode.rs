use std::any::type_name;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use solana_transaction_status::{TransactionBinaryEncoding, UiTransactionEncoding};
use wincode::SchemaRead;
use wincode::config::DefaultConfig;

use crate::jsonrpc::RpcError;

/// Bytes of a transaction that fit into one packet.
const MAX_BYTES: usize = 1232;
const MAX_BASE58: usize = 1683;
const MAX_BASE64: usize = 1644;

/// The encoding of a transaction; base58 by default.
pub(super) fn binary_encoding(
    encoding: Option<UiTransactionEncoding>,
) -> Result<TransactionBinaryEncoding, RpcError> {
    let encoding = encoding.unwrap_or(UiTransactionEncoding::Base58);
    encoding.into_binary_encoding().ok_or_else(|| {
        let message = format!("unsupported encoding: {encoding}. Supported encodings: base58, base64");
        RpcError::invalid_params(message)
    })
}

/// Reads a transaction or a message.
pub(super) fn decode<T>(text: &str, encoding: TransactionBinaryEncoding) -> Result<T, RpcError>
where
    T: for<'a> SchemaRead<'a, DefaultConfig, Dst = T>,
{
    let refused = |message: String| RpcError::invalid_params(message);
    let what = type_name::<T>();
    let (name, max) = match encoding {
        TransactionBinaryEncoding::Base58 => ("base58", MAX_BASE58),
        TransactionBinaryEncoding::Base64 => ("base64", MAX_BASE64),
    };
    if text.len() > max {
        let length = text.len();
        return Err(refused(format!(
            "{name} encoded {what} too large: {length} bytes (max: encoded/raw {max}/{MAX_BYTES})"
        )));
    }
    let bytes = match encoding {
        TransactionBinaryEncoding::Base58 => bs58::decode(text)
            .into_vec()
            .map_err(|error| refused(format!("invalid base58 encoding: {error:?}")))?,
        TransactionBinaryEncoding::Base64 => BASE64_STANDARD
            .decode(text)
            .map_err(|error| refused(format!("invalid base64 encoding: {error:?}")))?,
    };
    if bytes.len() > MAX_BYTES {
        let length = bytes.len();
        return Err(refused(format!("decoded {what} too large: {length} bytes (max: {MAX_BYTES} bytes)")));
    }
    wincode::deserialize(&bytes).map_err(|error| refused(format!("failed to deserialize {what}: {error}")))
}
