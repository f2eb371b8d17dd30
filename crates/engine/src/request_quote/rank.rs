use std::cmp::Ordering;

use alloy_primitives::U256;
use causeway_domain::{Ask, DepositMethod, Family, Route, TradeType};

use crate::reputation::Standings;

/// Whose amount is within this part of the best one's counts as equally good: 10 hundredths of a percent.
const NEAR_BEST: U256 = U256::from_limbs([1_000, 0, 0, 0]);

/// Puts the best route first: the highest output, or on exact output the lowest input; among those within 10 bps of the
/// best the guaranteed ones first, then those without an approval, then the faster, then those of the filler with the better
/// name.
pub fn rank_routes(ask: &Ask, routes: &mut [Route], standings: &Standings) {
    if let Some(best) = Best::of(ask, routes, standings) {
        routes.sort_by(|one, other| best.compare(one, other));
    }
}

/// The route that ranking would put first.
pub(super) fn best_route<'a>(ask: &Ask, routes: &'a [Route], standings: &Standings) -> Option<&'a Route> {
    let best = Best::of(ask, routes, standings)?;
    routes.iter().min_by(|one, other| best.compare(one, other))
}

/// What routes are measured by.
struct Best<'a> {
    ask: &'a Ask,
    amount: U256,
    /// Who is behind by no more counts as equally good.
    near: U256,
    standings: &'a Standings,
}

impl<'a> Best<'a> {
    fn of(ask: &'a Ask, routes: &[Route], standings: &'a Standings) -> Option<Self> {
        let amount = match ask.trade_type {
            TradeType::ExactInput => routes.iter().map(|route| route.amount_out).max(),
            TradeType::ExactOutput => routes.iter().map(|route| route.amount_in).min(),
        }?;
        let amount = amount.get();
        Some(Self { ask, amount, near: amount / NEAR_BEST, standings })
    }

    fn compare(&self, one: &Route, other: &Route) -> Ordering {
        let (worse, other_worse) = (self.behind(one), self.behind(other));
        let by_merit = || {
            let merit = |route: &Route| {
                let guaranteed = route.min_amount_out == route.amount_out;
                (!guaranteed, !is_one_click(self.ask, route), route.expected_duration_seconds)
            };
            let name = |route: &Route| self.standings.demerit(&route.filler);
            merit(one).cmp(&merit(other)).then_with(|| name(one).cmp(&name(other)))
        };
        let by_amount = || worse.cmp(&other_worse);
        let ordering = if worse <= self.near && other_worse <= self.near {
            by_merit().then_with(by_amount)
        } else {
            by_amount().then_with(by_merit)
        };
        ordering.then_with(|| one.id.as_str().cmp(other.id.as_str()))
    }

    /// By how much a route is worse than the best.
    fn behind(&self, route: &Route) -> U256 {
        match self.ask.trade_type {
            TradeType::ExactInput => self.amount.saturating_sub(route.amount_out.get()),
            TradeType::ExactOutput => route.amount_in.get().saturating_sub(self.amount),
        }
    }
}

/// Whether the payer never has to approve anything first: the coin itself needs none, nor does Solana, nor a plain transfer.
pub fn is_one_click(ask: &Ask, route: &Route) -> bool {
    let wanted =
        |method: &DepositMethod| ask.deposit_methods.is_empty() || ask.deposit_methods.contains(method);
    let transfers_only = || {
        route.deposit_methods.iter().filter(|method| wanted(method)).all(|m| *m == DepositMethod::Transfer)
    };
    ask.from.is_native() || ask.from.chain().family() == Family::Solana || transfers_only()
}

#[cfg(test)]
mod tests {
    use causeway_domain::{RawAmount, TokenId};
    use proptest::prelude::*;

    use super::*;
    use crate::fillers::fake::{amount, ask, offer};
    use crate::reputation::Standing;

    fn route(ask: &Ask, name: &str, open: u64) -> Route {
        let offer = offer(ask, open);
        Route {
            id: name.parse().unwrap(),
            filler: name.to_owned(),
            kind: "native-filler".to_owned(),
            exact_out: offer.exact_out,
            deposit_methods: offer.deposit_methods,
            amount_in: offer.amount_in,
            amount_out: offer.amount_out,
            min_amount_out: offer.min_amount_out,
            expected_duration_seconds: offer.expected_duration_seconds,
            valid_before: offer.valid_before,
            price_holds_until: None,
            estimated_gas: None,
            fees: Vec::new(),
            parties: None,
        }
    }

    /// An ask for a token that needs an approval.
    fn token_ask() -> Ask {
        let from = TokenId::new(ask().from.chain(), "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48").unwrap();
        Ask { from, ..ask() }
    }

    fn ranked(ask: &Ask, mut routes: Vec<Route>) -> Vec<String> {
        rank_routes(ask, &mut routes, &Standings::default());
        routes.iter().map(|route| route.id.to_string()).collect()
    }

    #[test]
    fn the_highest_output_or_the_lowest_input_comes_first() {
        let input = ask();
        let routes = vec![route(&input, "low", 900), route(&input, "high", 1_000), route(&input, "mid", 950)];
        assert_eq!(ranked(&input, routes), ["high", "mid", "low"]);
        let output = Ask { trade_type: TradeType::ExactOutput, ..ask() };
        let routes =
            vec![route(&output, "dear", 900), route(&output, "cheap", 800), route(&output, "mid", 850)];
        assert_eq!(ranked(&output, routes), ["cheap", "mid", "dear"]);
    }

    #[test]
    fn within_ten_bps_of_the_best_the_guaranteed_comes_first_and_beyond_the_amount_decides() {
        let ask = ask();
        let mut best = route(&ask, "best", 1_000_000);
        best.min_amount_out = amount(990_000);
        let (edge, beyond) = (route(&ask, "edge", 999_000), route(&ask, "beyond", 998_999));
        assert_eq!(ranked(&ask, vec![beyond, best, edge]), ["edge", "best", "beyond"]);
    }

    #[test]
    fn on_exact_output_ten_bps_are_counted_from_the_lowest_input() {
        let ask = Ask { trade_type: TradeType::ExactOutput, ..ask() };
        let mut best = route(&ask, "best", 1_000_000);
        best.min_amount_out = amount(1);
        let (edge, beyond) = (route(&ask, "edge", 1_001_000), route(&ask, "beyond", 1_001_001));
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
        assert_eq!(ranked(&ask, routes), ["click", "quick", "slow", "loose"]);
    }

    #[test]
    fn the_better_name_decides_between_equals_and_never_against_what_the_contract_ranks_by() {
        let ask = token_ask();
        let standings = Standings::of([
            ("good", Standing { orders: 100, filled: 100, ..Standing::default() }),
            ("bad", Standing { orders: 100, filled: 0, ..Standing::default() }),
        ]);
        let ranked = |mut routes: Vec<Route>| {
            rank_routes(&ask, &mut routes, &standings);
            routes.iter().map(|route| route.id.to_string()).collect::<Vec<_>>()
        };
        let (good, bad) = (route(&ask, "good", 1_000_000), route(&ask, "bad", 1_000_000));
        assert_eq!(ranked(vec![bad.clone(), good.clone()]), ["good", "bad"]);
        let mut quick = bad.clone();
        quick.expected_duration_seconds = 0;
        assert_eq!(ranked(vec![good.clone(), quick]), ["bad", "good"], "the faster comes first");
        let richer = route(&ask, "bad", 1_010_000);
        assert_eq!(ranked(vec![good.clone(), richer]), ["bad", "good"], "more is more");
        let little_richer = route(&ask, "bad", 1_000_500);
        assert_eq!(ranked(vec![little_richer, good]), ["good", "bad"], "within 10 bps they are equally good");
    }

    #[test]
    fn equal_routes_stand_by_name() {
        let ask = ask();
        let routes = ["c", "a", "b"].map(|name| route(&ask, name, 1_000)).to_vec();
        assert_eq!(ranked(&ask, routes), ["a", "b", "c"]);
    }

    #[test]
    fn an_approval_is_needed_for_a_token_unless_only_a_transfer_is_left() {
        let token = token_ask();
        let mut both = route(&token, "both", 1);
        both.deposit_methods = vec![DepositMethod::ContractCall, DepositMethod::Transfer];
        assert!(!is_one_click(&token, &both));
        assert!(is_one_click(&Ask { deposit_methods: vec![DepositMethod::Transfer], ..token }, &both));
        assert!(is_one_click(&ask(), &both), "the coin itself");
    }

    prop_compose! {
        fn any_route()(
            open in 1u64..3_000, loss in 0u64..2, seconds in 0u32..3, transfer in any::<bool>(),
        ) -> (u64, u64, u32, bool) {
            (open, loss, seconds, transfer)
        }
    }

    proptest! {
        #[test]
        fn ranking_permutes_and_the_first_is_within_ten_bps_of_the_best(
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
            prop_assert_eq!(best_route(&ask, &routes, &Standings::default()).unwrap().id.as_str(), &ranked[0]);
            let mut sorted = ranked.clone();
            sorted.sort();
            prop_assert_eq!(&sorted, &before);

            let shift = seed.index(routes.len());
            routes.rotate_left(shift);
            rank_routes(&ask, &mut routes, &Standings::default());
            prop_assert_eq!(names(&routes), ranked, "the order of arrival does not matter");

            let first = &routes[0];
            if exact_output {
                let best = routes.iter().map(|route| route.amount_in.get()).min().unwrap();
                prop_assert!(first.amount_in.get() * U256::from(1_000) <= best * U256::from(1_001));
            } else {
                let best = routes.iter().map(|route| route.amount_out.get()).max().unwrap();
                prop_assert!(first.amount_out.get() * U256::from(1_000) >= best * U256::from(999));
            }
        }
    }
}
