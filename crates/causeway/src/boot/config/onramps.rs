use causeway_onramps::banxa::BanxaConfig;
use causeway_onramps::coinbase::CoinbaseConfig;
use causeway_onramps::moonpay::MoonPayConfig;
use causeway_onramps::transak::TransakConfig;
use serde::{Deserialize, Serialize};

/// The accounts with on-ramp providers; a provider without a section is disabled.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OnrampsConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) transak: Option<TransakConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) moonpay: Option<MoonPayConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) coinbase: Option<CoinbaseConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) banxa: Option<BanxaConfig>,
}
