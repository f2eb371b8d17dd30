use causeway_domain::Chain;
use strsim::osa_distance;

use crate::search::compact;

/// The result of matching a chain name: positions in the list of chains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chains {
    /// Nothing, or no chain.
    Missing,
    One(usize),
    /// An ambiguous prefix.
    Several(Vec<usize>),
}

impl Chains {
    pub(super) fn positions(&self) -> &[usize] {
        match self {
            Self::Missing => &[],
            Self::One(one) => std::slice::from_ref(one),
            Self::Several(several) => several,
        }
    }
}

/// The chain that these words match exactly: by name, slug, alias or id.
pub(super) fn exact(chains: &[Chain], words: &[String]) -> Option<usize> {
    let wanted = compact(&words.join(" "));
    chains.iter().position(|chain| chain.enabled && names(chain).any(|name| name == wanted))
}

/// The chain that these words match, also by prefix or with typos; words after its name are ignored.
pub(super) fn find(chains: &[Chain], words: &[String]) -> Chains {
    let shorter = (1..=words.len()).rev().filter_map(|count| words.get(..count));
    if let Some(one) = shorter.clone().find_map(|words| exact(chains, words)) {
        return Chains::One(one);
    }
    let begun = shorter
        .map(|words| starting_with(chains, &compact(&words.join(" "))))
        .find(|found| !found.is_empty());
    match begun.as_deref() {
        Some([one]) => Chains::One(*one),
        Some(several) => Chains::Several(several.to_vec()),
        None => words
            .first()
            .and_then(|word| closest_name(chains, &compact(word)))
            .map_or(Chains::Missing, Chains::One),
    }
}

/// The chains with a name that starts with the text; none for empty text.
pub(super) fn starting_with(chains: &[Chain], start: &str) -> Vec<usize> {
    let begins = |chain: &Chain| chain.enabled && names(chain).any(|name| name.starts_with(start));
    (0..).zip(chains).filter(|(_, chain)| !start.is_empty() && begins(chain)).map(|(at, _)| at).collect()
}

fn closest_name(chains: &[Chain], word: &str) -> Option<usize> {
    let typos = match word.chars().count() {
        0..=3 => return None,
        4..=6 => 1,
        _ => 2,
    };
    let nearest = |chain: &Chain| names(chain).map(|name| osa_distance(&name, word)).min();
    (0..)
        .zip(chains)
        .filter(|(_, chain)| chain.enabled)
        .filter_map(|(at, chain)| nearest(chain).map(|distance| (distance, at)))
        .min()
        .and_then(|(distance, at)| (distance <= typos).then_some(at))
}

fn names(chain: &Chain) -> impl Iterator<Item = String> + '_ {
    [chain.name.as_str(), chain.slug.as_str()]
        .into_iter()
        .chain(chain.aliases.iter().map(String::as_str))
        .map(compact)
        .chain(std::iter::once(chain.id.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn meant(text: &str) -> Vec<String> {
        let chains = fixture::chains();
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let found = find(&chains, &words);
        found.positions().iter().map(|at| chains[*at].slug.clone()).collect()
    }

    #[test]
    fn a_chain_is_found_by_name_slug_alias_or_id_in_any_case() {
        for text in
            ["Arbitrum One", "arbitrum", "ARB", "42161", "arbitrum-one", "arb please", "arbitrum one now"]
        {
            assert_eq!(meant(text), ["arbitrum"], "{text}");
        }
        assert_eq!(meant("binance smart chain"), ["bsc"]);
    }

    #[test]
    fn a_prefix_matches_one_or_several_chains() {
        assert_eq!(meant("arbi"), ["arbitrum"]);
        assert_eq!(meant("binance sm"), ["bsc"]);
        assert_eq!(meant("b"), ["bsc", "base"]);
        assert_eq!(meant("a"), ["arbitrum", "avalanche"]);
    }

    #[test]
    fn typos_are_tolerated_and_unknown_names_are_not() {
        assert_eq!(meant("arbitum"), ["arbitrum"]);
        assert_eq!(meant("etherum"), ["ethereum"]);
        assert_eq!(meant("polgyon"), ["polygon"]);
        assert!(meant("zzzzzz").is_empty());
        assert!(meant("").is_empty());
    }

    #[test]
    fn a_disabled_chain_is_not_found() {
        let mut chains = fixture::chains();
        for chain in &mut chains {
            chain.enabled = false;
        }
        assert_eq!(find(&chains, &["base".to_owned()]), Chains::Missing);
    }
}
