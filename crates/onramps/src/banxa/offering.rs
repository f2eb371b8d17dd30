//! Banxa's assets, currencies and countries, mapped to the domain.

use std::collections::HashMap;

use causeway_domain::fiat::{FiatCurrency, PaymentMethod};
use causeway_domain::ports::RampError;
use causeway_domain::{Token, TokenId};

use super::wire::{Country, Crypto, Fiat, Method};
use crate::offering_cache::{Asset, Offering, PaymentOption, method_id, token_id};

/// Places where a token is not sold: `CA`, `US-TX`.
pub(super) type UnavailableIn = HashMap<TokenId, Vec<String>>;

/// The offering for the known tokens.
pub(super) fn offering(
    coins: Vec<Crypto>,
    fiats: Vec<Fiat>,
    countries: &[Country],
    tokens: &HashMap<TokenId, Token>,
) -> Result<(Offering, UnavailableIn), RampError> {
    let (mut offering, mut unavailable_in) = (Offering::default(), UnavailableIn::default());
    for coin in coins {
        for chain in coin.blockchains.unwrap_or_default() {
            let number = chain.network.as_deref().and_then(|number| number.parse().ok());
            let name = if chain.id == "SOL" { "solana" } else { &chain.id };
            let Some(id) = token_id(number, name, &coin.id, chain.address.as_deref()) else { continue };
            let Some(token) = tokens.get(&id) else { continue };
            // A token whose contract is missing must not be mistaken for the native coin.
            if id.is_native() && !token.symbol.eq_ignore_ascii_case(&coin.id) {
                continue;
            }
            let places = chain.unsupported_countries.unwrap_or_default();
            unavailable_in.insert(
                id,
                places.iter().flat_map(|(country, parts)| expand_places(country, parts)).collect(),
            );
            let asset = Asset { code: coin.id.clone(), network: chain.id, decimals: Some(token.decimals) };
            offering.assets.insert(id, asset);
        }
    }
    for fiat in fiats {
        let Ok(currency) = fiat.id.parse::<FiatCurrency>() else { continue };
        let listed = fiat.supported_payment_methods.unwrap_or_default();
        let payment_options = listed
            .into_iter()
            .map(|method| payment_option(currency, method))
            .collect::<Result<Vec<_>, _>>()?;
        let mut payment_options: Vec<PaymentOption> = payment_options.into_iter().flatten().collect();
        // Cards are the default method.
        payment_options.sort_by_key(|payment_option| payment_option.method.id != "card");
        if !payment_options.is_empty() {
            offering.currencies.insert(currency, payment_options);
        }
    }
    let listed = countries.iter().flat_map(|country| {
        let states = country.states.as_deref().unwrap_or_default();
        let parts: Vec<_> = states.iter().map(|state| state.id.clone()).collect();
        expand_places(&country.id, &parts)
    });
    offering.countries = listed.collect();
    if offering.currencies.is_empty() {
        return Err(RampError::Nonsense("its lists are empty".to_owned()));
    }
    Ok((offering, unavailable_in))
}

/// A country's subdivisions, or the whole country if none are named.
fn expand_places(country: &str, parts: &[String]) -> Vec<String> {
    // Banxa uses UK instead of ISO's GB.
    let country = if country == "UK" { "GB" } else { country };
    if parts.is_empty() {
        return vec![country.to_owned()];
    }
    parts.iter().map(|part| format!("{country}-{part}")).collect()
}

/// Whether a place is in the list, by itself or by its country.
pub(super) fn is_unavailable(places: &[String], place: &str) -> bool {
    let country = place.split('-').next().unwrap_or(place);
    places.iter().any(|listed| listed.eq_ignore_ascii_case(place) || listed.eq_ignore_ascii_case(country))
}

fn payment_option(currency: FiatCurrency, method: Method) -> Result<Option<PaymentOption>, RampError> {
    let Method { id, name, minimum, maximum } = method;
    let least = minimum.map(|least| least.fiat_up(currency)).transpose()?;
    let most = maximum.map(|most| most.fiat_down(currency)).transpose()?;
    let limits = least.zip(most);
    if limits.is_some_and(|(least, most)| least.minor >= most.minor) {
        return Ok(None);
    }
    let method_id_text = id.replace('-', "_");
    let method_id_text = match method_id_text.as_str() {
        "debit_credit_card" => "card",
        transfer if transfer.ends_with("_bank_transfer") => "bank_transfer",
        other => method_id(other),
    };
    let method = PaymentMethod { id: method_id_text.to_owned(), name: name.unwrap_or_else(|| id.clone()) };
    Ok(Some(PaymentOption { method, code: id, limits }))
}

#[cfg(test)]
mod tests {
    use causeway_domain::{ChainId, SOLANA_CHAIN_ID};

    use super::super::fixture::{offering, usdc};
    use super::*;

    #[test]
    fn tokens_are_identified_by_chain_and_contract_only() {
        let (offering, unavailable_in) = offering();
        let sold = &offering.assets[&usdc().id];
        assert_eq!((sold.code.as_str(), sold.network.as_str(), sold.decimals), ("USDC", "BASE", Some(6)));
        assert!(offering.assets.keys().any(|id| id.chain() == SOLANA_CHAIN_ID));
        assert!(offering.assets.contains_key(&TokenId::native(ChainId::new(1).unwrap())));
        assert_eq!(offering.assets.len(), 4, "unknown chains and coins are skipped");
        let places = &unavailable_in[&usdc().id];
        for (place, expected) in
            [("CA", true), ("CA-ON", true), ("US-TX", true), ("US-CA", false), ("DE", false)]
        {
            assert_eq!(is_unavailable(places, place), expected, "{place}");
        }
    }

    #[test]
    fn limits_methods_and_countries_are_read() {
        let (offering, _) = offering();
        let eur: FiatCurrency = "EUR".parse().unwrap();
        let payment_options: Vec<_> = offering.currencies[&eur]
            .iter()
            .map(|payment_option| (payment_option.method.id.as_str(), payment_option.limits))
            .collect();
        assert_eq!((payment_options[0].0, payment_options[1].0), ("card", "bank_transfer"));
        let (least, most) = payment_options[1].1.unwrap();
        assert_eq!((least.minor, most.minor), (5_000, 1_400_000));
        assert_eq!(offering.countries, ["AU", "DE", "US-CA", "US-TX"]);
        assert!(
            !offering.currencies.contains_key(&"AUD".parse().unwrap()),
            "a currency without a payment method is skipped"
        );
    }
}
