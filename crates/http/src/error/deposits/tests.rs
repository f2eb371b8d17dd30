use causeway_domain::ports::StoreError;
use causeway_domain::{Address, ChainId, OpenRouteError, OrderStatus, QuoteKeyError};
use jiff::Timestamp;

use super::*;

fn base() -> ChainId {
    ChainId::new(8453).unwrap()
}

fn order() -> OrderId {
    "0f8fad5bd9cb469fa16570867728950e".parse().unwrap()
}

fn at() -> Timestamp {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

fn wallet(byte: u8) -> Address {
    Address::Evm(alloy_primitives::Address::repeat_byte(byte))
}

/// One line for each error, as a client sees it.
fn table(errors: Vec<ApiError>) -> Vec<String> {
    let line = |error: ApiError| {
        let details = error.details.map(|details| details.to_string()).unwrap_or_default();
        format!("{} {}: {} {details}", error.name.status(), error.name.as_str(), error.message)
    };
    errors.into_iter().map(line).collect()
}

#[test]
fn build_errors_map_to_name_status_and_message() {
    let amounts = || ("USDC".to_owned(), "12.5".to_owned(), "1000".to_owned());
    let (symbol, has, needs) = amounts();
    let balance = BuildError::InsufficientBalance { symbol, has, needs };
    let (symbol, has, needs) = amounts();
    let gas = BuildError::InsufficientGas { symbol, has, needs };
    let errors = vec![
        BuildError::UnknownRoute(OpenRouteError::NotSealed),
        BuildError::UnknownRoute(OpenRouteError::OtherQuote),
        BuildError::UnexpectedFrom { expected: wallet(1), given: wallet(2) },
        BuildError::QuoteExpired { at: at() },
        BuildError::MethodNotOffered {
            asked: DepositMethod::Permit2,
            offered: vec![DepositMethod::ContractCall, DepositMethod::Transfer],
        },
        BuildError::OthersContracts { filler: "bridge".to_owned() },
        BuildError::Field { field: "refundTo", expected: "must be an EVM address".to_owned() },
        BuildError::AlreadyBuilt { order: order(), differs: vec!["recipient", "refundTo"] },
        BuildError::AlreadyTaken { order: order(), status: OrderStatus::Filled },
        balance,
        gas,
        BuildError::WouldFail("the token is paused".to_owned()),
        BuildError::ChainNotServed(base()),
        BuildError::Times,
        BuildError::Chain(ChainError::Unavailable(base())),
        BuildError::Chain(ChainError::Disagreement(base(), "secret endpoint".to_owned())),
        BuildError::Store(StoreError::Corrupt("secret table".to_owned())),
        BuildError::Key(QuoteKeyError::NoRandomness),
    ];
    insta::assert_json_snapshot!(table(errors.into_iter().map(ApiError::from).collect()));
}

#[test]
fn submit_errors_map_to_name_status_and_message() {
    let errors = vec![
        SubmitError::UnknownRoute(OpenRouteError::NotSealed),
        SubmitError::UnknownRoute(OpenRouteError::OtherQuote),
        SubmitError::NotBuilt,
        SubmitError::MalformedHash { chain: base(), expected: "0x and 64 hex digits" },
        SubmitError::WrongProof { method: DepositMethod::Permit2, expected: "send the signature" },
        SubmitError::Conflict { order: order() },
        SubmitError::Duplicate,
        SubmitError::NotThis("it pays another contract".to_owned()),
        SubmitError::TooLate { order: order(), at: at() },
        SubmitError::Refused("nonce too low".to_owned()),
        SubmitError::PermitPending { order: order() },
        SubmitError::Contended { order: order() },
        SubmitError::ChainNotServed(base()),
        SubmitError::Chain(ChainError::Nonsense(base(), "secret endpoint".to_owned())),
        SubmitError::Store(StoreError::Conflict("secret row")),
    ];
    let errors = errors.into_iter().map(ApiError::from);
    let proofs = [ApiError::exactly_one_proof(&[]), ApiError::exactly_one_proof(&["txHash", "signature"])];
    let lines = table(errors.chain(proofs).collect());
    assert!(lines.iter().all(|line| !line.contains("secret")), "{lines:?}");
    insta::assert_json_snapshot!(lines);
}
