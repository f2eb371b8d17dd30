//! What Banxa sells, takes and where, as its lists tell it, in our words.

use std::collections::HashMap;

use causeway_domain::fiat::{FiatCurrency, PaymentMethod};
use causeway_domain::ports::RampError;
use causeway_domain::{Token, TokenId};

use super::wire::{Country, Crypto, Fiat, Method};
use crate::lists::{Asset, Offering, Way, method_id, token_id};

/// Where tokens are not sold: `CA`, `US-TX`.
pub(super) type Closed = HashMap<TokenId, Vec<String>>;

/// What it sells, takes and where, of the tokens that are known here.
pub(super) fn offering(
    coins: Vec<Crypto>,
    fiats: Vec<Fiat>,
    countries: &[Country],
    tokens: &HashMap<TokenId, Token>,
) -> Result<(Offering, Closed), RampError> {
    let (mut offering, mut closed) = (Offering::default(), Closed::default());
    for coin in coins {
        for chain in coin.blockchains.unwrap_or_default() {
            let number = chain.network.as_deref().and_then(|number| number.parse().ok());
            let name = if chain.id == "SOL" { "solana" } else { &chain.id };
            let Some(id) = token_id(number, name, &coin.id, chain.address.as_deref()) else { continue };
            let Some(token) = tokens.get(&id) else { continue };
            // A token whose contract was left out must not be taken for the chain's own coin.
            if id.is_native() && !token.symbol.eq_ignore_ascii_case(&coin.id) {
                continue;
            }
            let places = chain.unsupported_countries.unwrap_or_default();
            closed.insert(id, places.iter().flat_map(|(country, parts)| places_of(country, parts)).collect());
            let asset = Asset { code: coin.id.clone(), network: chain.id, decimals: Some(token.decimals) };
            offering.assets.insert(id, asset);
        }
    }
    for fiat in fiats {
        let Ok(currency) = fiat.id.parse::<FiatCurrency>() else { continue };
        let listed = fiat.supported_payment_methods.unwrap_or_default();
        let ways = listed.into_iter().map(|method| way(currency, method)).collect::<Result<Vec<_>, _>>()?;
        let mut ways: Vec<Way> = ways.into_iter().flatten().collect();
        // A card is what most people mean who do not say.
        ways.sort_by_key(|way| way.method.id != "card");
        if !ways.is_empty() {
            offering.currencies.insert(currency, ways);
        }
    }
    let listed = countries.iter().flat_map(|country| {
        let states = country.states.as_deref().unwrap_or_default();
        let parts: Vec<_> = states.iter().map(|state| state.id.clone()).collect();
        places_of(&country.id, &parts)
    });
    offering.countries = listed.collect();
    if offering.currencies.is_empty() {
        return Err(RampError::Nonsense("its lists are empty".to_owned()));
    }
    Ok((offering, closed))
}

/// A country as its parts, or whole where none are named.
fn places_of(country: &str, parts: &[String]) -> Vec<String> {
    // Its lists say UK where the standard says GB.
    let country = if country == "UK" { "GB" } else { country };
    if parts.is_empty() {
        return vec![country.to_owned()];
    }
    parts.iter().map(|part| format!("{country}-{part}")).collect()
}

/// Whether something is not sold to somebody in that place.
pub(super) fn is_closed(places: &[String], place: &str) -> bool {
    let country = place.split('-').next().unwrap_or(place);
    places.iter().any(|closed| closed.eq_ignore_ascii_case(place) || closed.eq_ignore_ascii_case(country))
}

fn way(currency: FiatCurrency, method: Method) -> Result<Option<Way>, RampError> {
    let Method { id, name, minimum, maximum } = method;
    let least = minimum.map(|least| least.fiat_up(currency)).transpose()?;
    let most = maximum.map(|most| most.fiat_down(currency)).transpose()?;
    let limits = least.zip(most);
    if limits.is_some_and(|(least, most)| least.minor >= most.minor) {
        return Ok(None);
    }
    let ours = id.replace('-', "_");
    let ours = match ours.as_str() {
        "debit_credit_card" => "card",
        transfer if transfer.ends_with("_bank_transfer") => "bank_transfer",
        other => method_id(other),
    };
    let method = PaymentMethod { id: ours.to_owned(), name: name.unwrap_or_else(|| id.clone()) };
    Ok(Some(Way { method, code: id, limits }))
}

#[cfg(test)]
mod tests {
    use causeway_domain::{ChainId, SOLANA_CHAIN_ID};

    use super::super::fixture::{offering, usdc};
    use super::*;

    #[test]
    fn what_is_sold_is_known_by_chain_and_contract_only() {
        let (offering, closed) = offering();
        let sold = &offering.assets[&usdc().id];
        assert_eq!((sold.code.as_str(), sold.network.as_str(), sold.decimals), ("USDC", "BASE", Some(6)));
        assert!(offering.assets.keys().any(|id| id.chain() == SOLANA_CHAIN_ID));
        assert!(offering.assets.contains_key(&TokenId::native(ChainId::new(1).unwrap())));
        assert_eq!(offering.assets.len(), 4, "chains and coins that nobody here knows are left out");
        let places = &closed[&usdc().id];
        for (place, expected) in
            [("CA", true), ("CA-ON", true), ("US-TX", true), ("US-CA", false), ("DE", false)]
        {
            assert_eq!(is_closed(places, place), expected, "{place}");
        }
    }

    #[test]
    fn limits_ways_and_countries_are_read() {
        let (offering, _) = offering();
        let eur: FiatCurrency = "EUR".parse().unwrap();
        let ways: Vec<_> =
            offering.currencies[&eur].iter().map(|way| (way.method.id.as_str(), way.limits)).collect();
        assert_eq!((ways[0].0, ways[1].0), ("card", "bank_transfer"));
        let (least, most) = ways[1].1.unwrap();
        assert_eq!((least.minor, most.minor), (5_000, 1_400_000));
        assert_eq!(offering.countries, ["AU", "DE", "US-CA", "US-TX"]);
        assert!(
            !offering.currencies.contains_key(&"AUD".parse().unwrap()),
            "without a way of paying it is not taken"
        );
    }
}
