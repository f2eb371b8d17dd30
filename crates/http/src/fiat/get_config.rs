use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::ports::RampProfile;
use causeway_wire::{FiatCapabilities, FiatConfig, FiatDisplay, FiatFeatures, FiatJump, FiatProviderConfig};

use super::map_order::map_asset;
use crate::App;
use crate::middleware::envelope::FIAT_PATH;

/// Version of the fiat API contract.
const CONTRACT_VERSION: u32 = 1;

/// Capabilities of the fiat API, for clients that configure themselves.
#[utoipa::path(get, path = "/v1/fiat/config", tag = "fiat", responses((status = 200, body = FiatConfig)))]
pub(crate) async fn get_fiat_config(State(app): State<Arc<App>>) -> Json<FiatConfig> {
    let (ramps, hubs) = (&app.fiat.ramps, app.fiat.hubs);
    Json(FiatConfig {
        contract_version: CONTRACT_VERSION,
        base_path: FIAT_PATH.to_owned(),
        providers: ramps.iter().map(|ramp| map_provider(&ramp.profile())).collect(),
        jump: FiatJump {
            enabled: hubs.is_enabled(),
            intermediate_asset: hubs.evm.or(hubs.solana).map(map_asset),
        },
        features: FiatFeatures { quote: !ramps.is_empty(), order: !ramps.is_empty() },
    })
}

fn map_provider(profile: &RampProfile) -> FiatProviderConfig {
    FiatProviderConfig {
        id: profile.id.clone(),
        display: FiatDisplay { name: profile.name.clone(), logo_url: profile.logo_url.clone() },
        capabilities: FiatCapabilities {
            supported_fiat_currencies: profile.currencies.iter().map(ToString::to_string).collect(),
            supported_payment_methods: profile.methods.iter().map(|method| method.id.clone()).collect(),
            quote_kinds: vec![profile.firmness.as_str().to_owned()],
            supports_webhook: profile.webhooks,
            supports_status_polling: profile.polling,
        },
    }
}
