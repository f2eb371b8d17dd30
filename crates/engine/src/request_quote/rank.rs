use std::cmp::Ordering;

use alloy_primitives::U256;
use causeway_domain::{Ask, DepositMethod, Family, Route, TradeType};

use crate::reputation::Reputations;

/// Amounts within this fraction of the best count as equally good: 1 basis point.
const NEAR_BEST: U256 = U256::from_limbs([10_000, 0, 0, 0]);

/// Sorts routes best first: by the highest output, or on exact output by the lowest input. Within 1 bp of the best,
/// guaranteed routes come first, then those without an approval, then faster ones, then by the filler's reputation.
/// Unless the ask names deposit methods, routes for a plain transfer come after all that a wallet opens itself.
pub fn rank_routes(ask: &Ask, routes: &mut [Route], reputations: &Reputations) {
    routes.sort_by_key(|route| is_later_group(ask, route));
    let wallet = routes.partition_point(|route| !is_later_group(ask, route));
    let (wallet, transfer) = routes.split_at_mut(wallet);
    for group in [wallet, transfer] {
        if let Some(best) = Best::new(ask, &*group, reputations) {
            group.sort_by(|one, other| best.compare(one, other));
        }
    }
}

/// The index of the route that ranks first.
pub(super) fn best_route(ask: &Ask, routes: &[Route], reputations: &Reputations) -> Option<usize> {
    let has_wallet = routes.iter().any(|route| !is_later_group(ask, route));
    let group = || routes.iter().enumerate().filter(|(_, route)| is_later_group(ask, route) != has_wallet);
    let best = Best::new(ask, group().map(|(_, route)| route), reputations)?;
    group().min_by(|(_, one), (_, other)| best.compare(one, other)).map(|(place, _)| place)
}

/// Whether the route belongs to those that come last: only a plain transfer opens it.
fn is_later_group(ask: &Ask, route: &Route) -> bool {
    ask.deposit_methods.is_empty()
        && route.deposit_methods.iter().all(|method| *method == DepositMethod::Transfer)
}

/// The best amount and what routes are compared by.
struct Best<'a> {
    ask: &'a Ask,
    amount: U256,
    /// A difference up to this counts as equally good.
    near: U256,
    reputations: &'a Reputations,
}

impl<'a> Best<'a> {
    fn new<'r>(
        ask: &'a Ask,
        routes: impl IntoIterator<Item = &'r Route>,
        reputations: &'a Reputations,
    ) -> Option<Self> {
        let routes = routes.into_iter();
        let amount = match ask.trade_type {
            TradeType::ExactInput => routes.map(|route| route.amount_out).max(),
            TradeType::ExactOutput => routes.map(|route| route.amount_in).min(),
        }?;
        let amount = amount.get();
        Some(Self { ask, amount, near: amount / NEAR_BEST, reputations })
    }

    fn compare(&self, one: &Route, other: &Route) -> Ordering {
        let (worse, other_worse) = (self.behind(one), self.behind(other));
        let by_merit = || {
            let merit = |route: &Route| {
                let guaranteed = route.min_amount_out == route.amount_out;
                (!guaranteed, !is_one_click(self.ask, route), route.expected_duration_seconds)
            };
            let reputation = |route: &Route| self.reputations.rank_key(&route.filler);
            merit(one).cmp(&merit(other)).then_with(|| reputation(one).cmp(&reputation(other)))
        };
        let by_amount = || worse.cmp(&other_worse);
        let ordering = if worse <= self.near && other_worse <= self.near {
            by_merit().then_with(by_amount)
        } else {
            by_amount().then_with(by_merit)
        };
        ordering
            .then_with(|| one.filler.cmp(&other.filler))
            .then_with(|| one.id.as_str().cmp(other.id.as_str()))
    }

    /// By how much a route is worse than the best.
    fn behind(&self, route: &Route) -> U256 {
        match self.ask.trade_type {
            TradeType::ExactInput => self.amount.saturating_sub(route.amount_out.get()),
            TradeType::ExactOutput => route.amount_in.get().saturating_sub(self.amount),
        }
    }
}

/// Whether the payer needs no token approval: true for native coins, on Solana and for plain transfers.
pub fn is_one_click(ask: &Ask, route: &Route) -> bool {
    let wanted =
        |method: &DepositMethod| ask.deposit_methods.is_empty() || ask.deposit_methods.contains(method);
    // Neither a transfer nor the token's own signature needs an allowance.
    let needs_none = |method: &DepositMethod| {
        matches!(method, DepositMethod::Transfer | DepositMethod::Authorization | DepositMethod::Permit)
    };
    ask.from.is_native()
        || ask.from.chain().family() == Family::Solana
        || route.deposit_methods.iter().filter(|method| wanted(method)).all(needs_none)
}

#[cfg(test)]
mod tests {
    use causeway_domain::{RawAmount, TokenId};
    use proptest::prelude::*;

    use super::*;
    use crate::fillers::fake::{amount, ask, offer};
    use crate::reputation::Reputation;

    fn route(ask: &Ask, name: &str, open: u64) -> Route {
        Route::new(name.parse().unwrap(), name, "native-filler", offer(ask, open))
    }

    /// An ask for a token that needs an approval.
    fn token_ask() -> Ask {
        let from = TokenId::new(ask().from.chain(), "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48").unwrap();
        Ask { from, ..ask() }
    }

    fn ranked(ask: &Ask, mut routes: Vec<Route>) -> Vec<String> {
        rank_routes(ask, &mut routes, &Reputations::default());
        routes.iter().map(|route| route.id.to_string()).collect()
    }

    #[test]
    fn highest_output_or_lowest_input_ranks_first() {
        let input = ask();
        let routes = vec![route(&input, "low", 900), route(&input, "high", 1_000), route(&input, "mid", 950)];
        assert_eq!(ranked(&input, routes), ["high", "mid", "low"]);
        let output = Ask { trade_type: TradeType::ExactOutput, ..ask() };
        let routes =
            vec![route(&output, "dear", 900), route(&output, "cheap", 800), route(&output, "mid", 850)];
        assert_eq!(ranked(&output, routes), ["cheap", "mid", "dear"]);
    }

    #[test]
    fn guaranteed_route_ranks_first_within_one_bp_and_the_amount_decides_beyond() {
        let ask = ask();
        let mut best = route(&ask, "best", 1_000_000);
        best.min_amount_out = amount(990_000);
        let (edge, beyond) = (route(&ask, "edge", 999_900), route(&ask, "beyond", 999_899));
        assert_eq!(ranked(&ask, vec![beyond, best, edge]), ["edge", "best", "beyond"]);
    }

    #[test]
    fn exact_output_measures_one_bp_from_the_lowest_input() {
        let ask = Ask { trade_type: TradeType::ExactOutput, ..ask() };
        let mut best = route(&ask, "best", 1_000_000);
        best.min_amount_out = amount(1);
        let (edge, beyond) = (route(&ask, "edge", 1_000_100), route(&ask, "beyond", 1_000_101));
        assert_eq!(ranked(&ask, vec![beyond, best, edge]), ["edge", "best", "beyond"]);
    }

    #[test]
    fn among_equals_guarantee_outweighs_one_click_and_one_click_outweighs_speed() {
        let ask = token_ask();
        let mut one_click = route(&ask, "click", 1_000);
        one_click.deposit_methods = vec![DepositMethod::Transfer];
        let mut quick = route(&ask, "quick", 1_000);
        quick.expected_duration_seconds = 1;
        let mut loose = route(&ask, "loose", 1_000);
        loose.deposit_methods = vec![DepositMethod::Transfer];
        loose.expected_duration_seconds = 0;
        loose.min_amount_out = amount(999);
        let slow = route(&ask, "slow", 1_000);
        let routes = vec![loose, slow, quick, one_click];
        let either = vec![DepositMethod::ContractCall, DepositMethod::Transfer];
        let asked = Ask { deposit_methods: either, ..ask.clone() };
        assert_eq!(ranked(&asked, routes.clone()), ["click", "quick", "slow", "loose"]);
        assert_eq!(
            ranked(&ask, routes),
            ["quick", "slow", "click", "loose"],
            "wallets first if nothing is asked"
        );
    }

    #[test]
    fn reputation_decides_only_between_otherwise_equal_routes() {
        let ask = token_ask();
        let reputations = Reputations::new([
            ("good", Reputation { orders: 100, filled: 100, ..Reputation::default() }),
            ("bad", Reputation { orders: 100, filled: 0, ..Reputation::default() }),
        ]);
        let ranked = |mut routes: Vec<Route>| {
            rank_routes(&ask, &mut routes, &reputations);
            routes.iter().map(|route| route.id.to_string()).collect::<Vec<_>>()
        };
        let (good, bad) = (route(&ask, "good", 1_000_000), route(&ask, "bad", 1_000_000));
        assert_eq!(ranked(vec![bad.clone(), good.clone()]), ["good", "bad"]);
        let mut quick = bad.clone();
        quick.expected_duration_seconds = 0;
        assert_eq!(ranked(vec![good.clone(), quick]), ["bad", "good"], "the faster comes first");
        let richer = route(&ask, "bad", 1_010_000);
        assert_eq!(ranked(vec![good.clone(), richer]), ["bad", "good"], "more is more");
        let little_richer = route(&ask, "bad", 1_000_050);
        assert_eq!(ranked(vec![little_richer, good]), ["good", "bad"], "within 1 bp they are equally good");
    }

    #[test]
    fn equal_routes_are_sorted_by_id() {
        let ask = ask();
        let routes = ["c", "a", "b"].map(|name| route(&ask, name, 1_000)).to_vec();
        assert_eq!(ranked(&ask, routes), ["a", "b", "c"]);
    }

    #[test]
    fn token_needs_an_approval_unless_only_transfers_are_allowed() {
        let token = token_ask();
        let mut both = route(&token, "both", 1);
        both.deposit_methods = vec![DepositMethod::ContractCall, DepositMethod::Transfer];
        assert!(!is_one_click(&token, &both));
        assert!(is_one_click(&Ask { deposit_methods: vec![DepositMethod::Transfer], ..token }, &both));
        assert!(is_one_click(&ask(), &both), "the coin itself");
    }

    prop_compose! {
        fn any_route()(
            open in 1u64..30_000, loss in 0u64..2, seconds in 0u32..3, transfer in any::<bool>(),
        ) -> (u64, u64, u32, bool) {
            (open, loss, seconds, transfer)
        }
    }

    proptest! {
        #[test]
        fn ranking_permutes_and_the_first_of_each_group_is_within_one_bp_of_its_best(
            parts in prop::collection::vec(any_route(), 1..12), exact_output in any::<bool>(), seed in any::<prop::sample::Index>(),
        ) {
            let mut ask = token_ask();
            if exact_output {
                ask.trade_type = TradeType::ExactOutput;
            }
            let mut routes: Vec<Route> = parts.iter().enumerate().map(|(n, (open, loss, seconds, transfer))| {
                let mut route = route(&ask, &format!("r{n:02}"), *open);
                route.min_amount_out = RawAmount::new(route.amount_out.get() - U256::from(*loss));
                route.expected_duration_seconds = *seconds;
                if *transfer {
                    route.deposit_methods = vec![DepositMethod::Transfer];
                }
                route
            }).collect();
            let names = |routes: &[Route]| routes.iter().map(|route| route.id.to_string()).collect::<Vec<_>>();
            let (before, ranked) = (names(&routes), ranked(&ask, routes.clone()));
            let best = best_route(&ask, &routes, &Reputations::default()).unwrap();
            prop_assert_eq!(routes[best].id.as_str(), &ranked[0]);
            let mut sorted = ranked.clone();
            sorted.sort();
            prop_assert_eq!(&sorted, &before);

            let shift = seed.index(routes.len());
            routes.rotate_left(shift);
            rank_routes(&ask, &mut routes, &Reputations::default());
            prop_assert_eq!(names(&routes), ranked, "the order of arrival does not matter");

            let is_transfer = |route: &Route| route.deposit_methods == [DepositMethod::Transfer];
            prop_assert!(routes.is_sorted_by_key(is_transfer), "wallets first");
            for group in routes.chunk_by(|one, other| is_transfer(one) == is_transfer(other)) {
                if exact_output {
                    let best = group.iter().map(|route| route.amount_in.get()).min().unwrap();
                    prop_assert!(group[0].amount_in.get() * U256::from(10_000) <= best * U256::from(10_001));
                } else {
                    let best = group.iter().map(|route| route.amount_out.get()).max().unwrap();
                    prop_assert!(group[0].amount_out.get() * U256::from(10_000) >= best * U256::from(9_999));
                }
            }
        }
    }
}
