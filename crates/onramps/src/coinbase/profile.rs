use std::sync::Arc;

use causeway_domain::fiat::QuoteFirmness;
use causeway_domain::ports::RampProfile;
use causeway_domain::{Token, TokenId};
use jiff::SignedDuration;

use super::options::{Options, span};

/// A session's address is good for five minutes; who comes in the last of them is given another.
const SESSION: SignedDuration = SignedDuration::from_mins(4);

/// What is known before anything was heard.
pub(super) fn blank(origins: &[String], assets: &[Token]) -> RampProfile {
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
        session_for: Some(SESSION),
    }
}

/// What the lists of all configured places come to together.
pub(super) fn profile(origins: &[String], countries: Vec<String>, lists: &[Arc<Options>]) -> RampProfile {
    let mut whole = RampProfile { countries, ..blank(origins, &[]) };
    for options in lists {
        whole.chains.extend(options.sold.keys().map(TokenId::chain));
        for (currency, ways) in &options.currencies {
            let Some((least, most)) = span(ways) else { continue };
            if let Some((low, high)) = whole.limits.iter_mut().find(|(known, _)| known.currency == *currency)
            {
                low.minor = low.minor.min(least.minor);
                high.minor = high.minor.max(most.minor);
            } else {
                whole.currencies.push(*currency);
                whole.limits.push((least, most));
            }
            let new: Vec<_> = ways.iter().filter(|way| !whole.methods.contains(&way.method)).collect();
            whole.methods.extend(new.into_iter().map(|way| way.method.clone()));
        }
    }
    whole.chains.sort_unstable();
    whole.chains.dedup();
    whole
}
