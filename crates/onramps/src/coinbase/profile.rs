use std::sync::Arc;

use causeway_domain::fiat::QuoteFirmness;
use causeway_domain::ports::RampProfile;
use causeway_domain::{Token, TokenId};
use jiff::SignedDuration;

use super::options::{Options, overall_limits};

/// A session URL is valid for five minutes; it is renewed after four.
const SESSION_VALIDITY: SignedDuration = SignedDuration::from_mins(4);

/// The profile before any options were read.
pub(super) fn empty_profile(origins: &[String], assets: &[Token]) -> RampProfile {
    let mut chains: Vec<_> = assets.iter().map(|token| token.id.chain()).collect();
    chains.sort_unstable();
    chains.dedup();
    RampProfile {
        id: "coinbase".to_owned(),
        name: "Coinbase".to_owned(),
        logo_url: None,
        chains,
        currencies: Vec::new(),
        methods: Vec::new(),
        countries: Vec::new(),
        limits: Vec::new(),
        firmness: QuoteFirmness::Estimate,
        webhooks: true,
        polling: true,
        origins: origins.to_vec(),
        permissions: vec!["payment".to_owned(), "camera".to_owned()],
        session_for: Some(SESSION_VALIDITY),
    }
}

/// The combined profile of all configured places.
pub(super) fn profile(origins: &[String], countries: Vec<String>, lists: &[Arc<Options>]) -> RampProfile {
    let mut profile = RampProfile { countries, ..empty_profile(origins, &[]) };
    for options in lists {
        profile.chains.extend(options.sold.keys().map(TokenId::chain));
        for (currency, payment_options) in &options.currencies {
            let Some((least, most)) = overall_limits(payment_options) else { continue };
            if let Some((low, high)) =
                profile.limits.iter_mut().find(|(known, _)| known.currency == *currency)
            {
                low.minor = low.minor.min(least.minor);
                high.minor = high.minor.max(most.minor);
            } else {
                profile.currencies.push(*currency);
                profile.limits.push((least, most));
            }
            let new: Vec<_> = payment_options
                .iter()
                .filter(|payment_option| !profile.methods.contains(&payment_option.method))
                .collect();
            profile.methods.extend(new.into_iter().map(|payment_option| payment_option.method.clone()));
        }
    }
    profile.chains.sort_unstable();
    profile.chains.dedup();
    profile
}
