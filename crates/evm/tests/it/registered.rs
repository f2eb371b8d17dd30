//! Whether the contract that a provider hands the input to is one that its registry names.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy_primitives::{Address as EvmAddress, Bytes, U256};
use causeway_domain::ports::{
    ProviderPayment, ProviderPaymentError, ProviderPayments as _, ProviderTransaction, RegisteredContract,
};
use causeway_domain::{Address, RawAmount, TokenId};
use causeway_evm::orders::EvmProviderPayments;
use serde_json::{Value, json};

use crate::fake::{CHAIN, Fake, chain, client, error};

const REGISTRY: EvmAddress = EvmAddress::repeat_byte(0x11);
const PRESENT: EvmAddress = EvmAddress::repeat_byte(0x22);
const BEFORE: EvmAddress = EvmAddress::repeat_byte(0x33);
const OTHER: EvmAddress = EvmAddress::repeat_byte(0x44);

/// What an endpoint says that the registry answers.
#[derive(Clone, Copy, Debug)]
enum Says {
    Names(EvmAddress),
    Paused,
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Passes,
    /// The provider is at fault.
    NotNamed,
    /// Nobody is, and nothing is built.
    Unknown,
}

/// An endpoint that notes whether it is asked for anything else.
async fn endpoint(says: Says, goes_on: Arc<AtomicBool>) -> Fake {
    Fake::start(move |method: &str, params: &Value| match method {
        "eth_chainId" => Ok(json!(format!("{CHAIN:#x}"))),
        "eth_blockNumber" => Ok(json!("0x64")),
        "eth_call" if params[0]["to"] == json!(REGISTRY) => match (says, params[0]["data"].as_str()) {
            (Says::Paused, _) => error(3, "execution reverted"),
            (Says::Names(present), Some("0x01")) => Ok(json!(present.into_word())),
            (Says::Names(_), _) => Ok(json!(BEFORE.into_word())),
        },
        _ => {
            goes_on.store(true, Ordering::Relaxed);
            error(-32601, "no such method")
        }
    })
    .await
}

async fn outcome(endpoints: &[Says], contract: EvmAddress) -> Outcome {
    let goes_on = Arc::new(AtomicBool::new(false));
    let mut fakes = Vec::new();
    for says in endpoints {
        fakes.push(endpoint(*says, Arc::clone(&goes_on)).await);
    }
    let payments = EvmProviderPayments::new(client(&fakes.iter().collect::<Vec<_>>()));
    let address = |byte| Address::Evm(EvmAddress::repeat_byte(byte));
    let payment = ProviderPayment {
        payer: address(1),
        token: TokenId::from_address(chain(), address(2)).unwrap(),
        amount: RawAmount::new(U256::from(25)),
        transaction: ProviderTransaction {
            target: address(3),
            spender: Some(address(3)),
            value: U256::ZERO,
            data: Bytes::new(),
            min_amount_out: RawAmount::new(U256::from(24)),
            registered: Some(RegisteredContract {
                contract: Address::Evm(contract),
                registry: Address::Evm(REGISTRY),
                calls: vec![Bytes::from_static(&[1]), Bytes::from_static(&[2])],
            }),
        },
        output: None,
        guarded: Vec::new(),
    };
    match payments.actions(&payment).await {
        Err(ProviderPaymentError::Effects(words)) => {
            assert!(words.contains("does not name"), "{words}");
            Outcome::NotNamed
        }
        _ if goes_on.load(Ordering::Relaxed) => Outcome::Passes,
        _ => Outcome::Unknown,
    }
}

#[tokio::test]
async fn rule_27_one_endpoint_alone_does_not_say_who_gets_a_providers_input() {
    const TRUE: Says = Says::Names(PRESENT);
    const FALSE: Says = Says::Names(OTHER);
    for (endpoints, contract, expected) in [
        (&[TRUE, TRUE][..], PRESENT, Outcome::Passes),
        (&[TRUE, TRUE], BEFORE, Outcome::Passes),
        (&[TRUE, TRUE], OTHER, Outcome::NotNamed),
        (&[FALSE, TRUE, TRUE], OTHER, Outcome::NotNamed),
        (&[FALSE, TRUE, TRUE], PRESENT, Outcome::Passes),
        (&[Says::Paused, TRUE, TRUE], PRESENT, Outcome::Passes),
        (&[Says::Paused, Says::Paused, TRUE], PRESENT, Outcome::NotNamed),
        (&[FALSE, TRUE], PRESENT, Outcome::Unknown),
        (&[FALSE, TRUE], OTHER, Outcome::Unknown),
        (&[Says::Paused, TRUE], PRESENT, Outcome::Unknown),
        (&[TRUE], PRESENT, Outcome::Passes),
        (&[Says::Paused], PRESENT, Outcome::NotNamed),
    ] {
        assert_eq!(outcome(endpoints, contract).await, expected, "{endpoints:?} {contract}");
    }
}
