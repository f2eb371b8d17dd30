//! One conformance suite for every liquidity provider: its adapter against its stand-in. What only a chain can show is checked
//! over the real binary, in `tests/e2e/liquidity`.

mod chain;
mod faults;
mod mangled;
mod quotes;
mod statuses;
mod subject;
mod transfers;

/// Runs every case of the suite for one provider: those of all, and those of providers that are paid by `calls` or `transfers`,
/// or whose calls are whole `swaps`.
macro_rules! conformance {
    ($provider:ident, $kind:expr, $payment:ident) => {
        mod $provider {
            #[allow(unused_imports, reason = "each way of payment has cases of its own")]
            use super::{faults, mangled, quotes, statuses, transfers};
            use super::subject::{Kind, Subject};

            conformance!(@$payment $kind);
            conformance!(@cases $kind,
                quotes::what_cannot_be_followed_is_refused_without_a_call,
                quotes::no_route_is_a_refusal,
                quotes::an_operators_fee_is_passed_on_and_shown,
                quotes::a_slow_provider_is_given_up_at_its_deadline,
                quotes::a_provider_that_asks_for_it_is_left_alone,
                quotes::an_outage_is_no_lie,
                faults::html_instead_of_json,
                faults::another_recipient,
                faults::a_renamed_chain,
                faults::everything_is_checked_again_when_it_is_built,
                faults::a_short_output_is_seen_when_it_is_built,
                mangled::any_value_in_any_place_of_an_answer_is_read_or_refused,
            );
        }
    };
    // Those that tell the decimals of their tokens and the status of an order.
    (@statuses $kind:expr) => {
        conformance!(@cases $kind,
            faults::other_decimals,
            statuses::a_deposit_that_it_has_not_seen_is_unknown,
            statuses::a_delivery_names_its_transaction,
            statuses::stuck_is_working,
            statuses::a_status_may_go_back,
            statuses::done_without_a_transfer_is_its_word_only,
            statuses::a_transfer_of_less_is_named_as_any,
            statuses::a_refund_is_of_the_input,
            statuses::a_status_is_not_asked_for_while_it_wants_to_be_left_alone,
            statuses::an_outage_tells_no_status,
        );
    };
    // Those whose transaction delivers at once, so that there is no status.
    (@swaps $kind:expr) => {
        conformance!(@cases $kind,
            quotes::an_offer_says_who_settles_and_its_transaction_is_the_quoted_one,
            faults::another_target,
            faults::another_spender,
            faults::another_target_when_it_is_built,
            faults::another_output_in_its_transaction,
            statuses::the_payers_transaction_is_the_delivery,
        );
    };
    (@calls $kind:expr) => {
        conformance!(@statuses $kind);
        conformance!(@cases $kind,
            quotes::an_offer_says_who_settles_and_its_transaction_is_the_quoted_one,
            quotes::its_own_list_of_contracts_is_compared_with_the_pinned_ones,
            faults::another_target,
            faults::another_spender,
            faults::another_target_when_it_is_built,
            statuses::a_refund_in_another_token_names_it,
        );
    };
    (@transfers $kind:expr) => {
        conformance!(@statuses $kind);
        conformance!(@cases $kind,
            transfers::an_offer_says_who_settles_and_its_address_is_for_the_quoted_route,
            transfers::a_price_alone_makes_no_address,
            transfers::a_quote_that_takes_more_is_a_fault,
            transfers::an_address_of_the_route_itself_is_for_the_engine_to_refuse,
            transfers::an_address_with_a_memo_is_not_used,
            transfers::the_shorter_of_its_times_counts,
            transfers::a_payment_is_seen_without_being_named,
            transfers::a_payment_that_it_has_not_seen_is_named_to_it,
            transfers::a_payment_of_less_is_open,
            transfers::a_status_of_another_address_is_a_fault,
            transfers::a_payment_is_not_its_own_refund,
        );
    };
    (@cases $kind:expr, $($group:ident :: $case:ident),* $(,)?) => {
        $(
            #[tokio::test]
            async fn $case() {
                $group::$case(Subject::start($kind).await).await;
            }
        )*
    };
}

conformance!(lifi, Kind::Lifi, calls);
conformance!(relay, Kind::Relay, calls);
conformance!(oneclick, Kind::OneClick, transfers);
conformance!(zerox, Kind::Zerox, swaps);
conformance!(jupiter, Kind::Jupiter, swaps);
