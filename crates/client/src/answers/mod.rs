//! What the service answers, as the SDK reads it: required is only what the specification requires.
//!
//! Every other field is optional, and one of another type than expected counts as absent. The checks before a wallet signs
//! (`execute`) demand more.

mod deposit;
mod fiat;
mod order;
mod quote;

use serde::de::DeserializeOwned;
use serde::{Deserialize as _, Deserializer};
use serde_json::Value;

pub use deposit::{
    BuildAnswer, ContractCallDeposit, FrozenOrder, PermitDeposit, ProviderDeposit, ProviderNotice,
    ProviderTransferDeposit, SubmitAnswer, Transfer, TransferDeposit,
};
pub use fiat::{
    FiatOrderAnswer, FiatPolling, FiatQuote, FiatQuoteAnswer, FiatQuoteLine, FiatRoute, FiatStatus,
};
pub use order::{Order, OrderTransaction, OrderTransactions};
pub use quote::{QuoteAnswer, Route, RouteQuote, StreamedRoute};

/// Reads an optional field; a value of another type is the default.
fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(reader: D) -> Result<T, D::Error> {
    Value::deserialize(reader).map(|value| serde_json::from_value(value).unwrap_or_default())
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Declares an answer: the required fields first, then the optional ones, which [`lenient`] reads.
macro_rules! answer {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            required { $( $(#[$must_about:meta])* $must:ident: $must_type:ty, )* }
            optional { $( $(#[$may_about:meta])* $may:ident: $may_type:ty, )* }
            $( flattened { $flat:ident: $flat_type:ty } )?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $( $(#[$must_about])* pub $must: $must_type, )*
            $(
                $(#[$may_about])*
                #[serde(
                    default,
                    deserialize_with = "crate::answers::lenient",
                    skip_serializing_if = "crate::answers::is_default"
                )]
                pub $may: $may_type,
            )*
            $( #[serde(flatten)] pub $flat: $flat_type, )?
        }
    };
}
use answer;
