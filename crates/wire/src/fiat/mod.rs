//! Buying with fiat: one set of types for both API generations.

mod error;
mod event;
mod order;
mod provider;
mod quote;
mod status;

pub use error::{FiatErrorBody, FiatErrorCode, FiatFault};
pub use event::{FIAT_WIDGET_EVENT, FiatOrderEvent, FiatWebhookAnswer, FiatWebhookEvent, FiatWidgetEvent};
pub use order::{
    FiatAction, FiatFailure, FiatOrder, FiatOrderAnswer, FiatOrderAsk, FiatOrderView, JumpRecovery, JumpTerms,
};
pub use provider::{
    FiatAsset, FiatCapabilities, FiatConfig, FiatDisplay, FiatFeatures, FiatJump, FiatLimit, FiatProvider,
    FiatProviderConfig, FiatProviders, PaymentMethod,
};
pub use quote::{
    FiatFee, FiatProviderError, FiatQuote, FiatQuoteAnswer, FiatQuoteAsk, FiatQuoteLine, FiatRoute,
};
pub use status::{FiatPolling, FiatStatus};
