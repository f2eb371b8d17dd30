use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use causeway_domain::ports::RampProfile;
use causeway_wire::{FiatLimit, FiatProvider, FiatProviders, PaymentMethod};

use super::map_quote::map_methods;
use crate::App;

/// The available on-ramp providers.
#[utoipa::path(
    get,
    path = "/v1/fiat/providers",
    tag = "fiat",
    responses((status = 200, body = FiatProviders)),
)]
pub(crate) async fn get_fiat_providers(State(app): State<Arc<App>>) -> Json<FiatProviders> {
    Json(FiatProviders {
        providers: app.fiat.ramps.iter().map(|ramp| map_provider(&ramp.profile())).collect(),
    })
}

fn map_provider(profile: &RampProfile) -> FiatProvider {
    let payment_methods: Vec<PaymentMethod> = map_methods(&profile.methods);
    FiatProvider {
        id: profile.id.clone(),
        name: profile.name.clone(),
        logo_url: profile.logo_url.clone(),
        supported_chain_ids: profile.chains.iter().map(|chain| chain.get()).collect(),
        fiat_currencies: profile.currencies.iter().map(ToString::to_string).collect(),
        payment_methods,
        countries: (!profile.countries.is_empty()).then(|| profile.countries.clone()),
        limits: profile
            .limits
            .iter()
            .map(|(min, max)| FiatLimit {
                fiat_currency: min.currency.to_string(),
                min: min.to_string(),
                max: max.to_string(),
            })
            .collect(),
    }
}
