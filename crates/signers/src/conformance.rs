//! One suite for the port, run against every implementation: whatever the place of a key does, nothing but a signature of the
//! configured account comes out, and every failure is told in words.

use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Signature, keccak256};
use causeway_domain::ports::{KeySigner, KeySignerError, SigningEffect, SigningRequest};
use causeway_domain::{Address, Family};
use causeway_testing::FakeKey;
use causeway_testing::signers::{
    AWS_ACCESS_KEY, AWS_REGION, AWS_SECRET_KEY, Behaviour, KMS_KEY, SignerStandIn, evm_account,
    solana_account,
};
use ed25519_dalek::VerifyingKey;

use crate::aws::{AwsKms, AwsKmsSettings, Credentials};
use crate::gcp::{GcpKms, GcpKmsSettings};
use crate::keystore::{self, Cost};
use crate::{Guarded, RemoteSigner};

const EVM_KEY: [u8; 32] = [0x31; 32];
const SEED: [u8; 32] = [0x32; 32];

/// Enough for an answer of this machine under load; only the test of a slow signer waits as long.
const DEADLINE: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(300);

fn account(family: Family) -> Address {
    match family {
        Family::Evm => evm_account(&EVM_KEY),
        Family::Solana => solana_account(&SEED),
        Family::Bitcoin | Family::Tron => panic!("nobody has keys of this chain"),
    }
}

fn statement(text: &str) -> SigningRequest {
    SigningRequest { payload: text.as_bytes().to_vec(), effect: SigningEffect::Probe }
}

/// Whether it is the account's signature, by other means than the implementation's.
fn is_own(account: &Address, payload: &[u8], signature: &[u8]) -> bool {
    match account {
        Address::Evm(address) => {
            let read = Signature::from_raw(signature).unwrap();
            assert!(matches!(signature[64], 27 | 28) && read.normalize_s().is_none());
            read.recover_address_from_prehash(&keccak256(payload)).unwrap() == *address
        }
        Address::Solana(key) => {
            let signature = ed25519_dalek::Signature::from_bytes(signature.try_into().unwrap());
            VerifyingKey::from_bytes(key).unwrap().verify_strict(payload, &signature).is_ok()
        }
        Address::Bitcoin(_) | Address::Tron(_) => false,
    }
}

/// The places that a stand-in plays.
const PLACES: [(&str, Family); 4] =
    [("web3signer", Family::Evm), ("ed25519", Family::Solana), ("aws", Family::Evm), ("gcp", Family::Evm)];

fn aws(standin: &SignerStandIn, secret: &str, key: &str) -> AwsKms {
    let Address::Evm(address) = account(Family::Evm) else { panic!("an EVM account") };
    let settings = AwsKmsSettings {
        region: AWS_REGION.to_owned(),
        key: key.to_owned(),
        endpoint: Some(standin.url.clone()),
        credentials: Some(Credentials {
            access_key: AWS_ACCESS_KEY.to_owned(),
            secret_key: secret.to_owned(),
            session_token: None,
            expires_at: None,
        }),
        instance_metadata: None,
    };
    AwsKms::new(settings, address, DEADLINE).unwrap()
}

fn gcp(standin: &SignerStandIn, metadata: &str) -> GcpKms {
    let Address::Evm(address) = account(Family::Evm) else { panic!("an EVM account") };
    let settings = GcpKmsSettings {
        key: KMS_KEY.to_owned(),
        endpoint: Some(standin.url.clone()),
        service_account: None,
        metadata: Some(metadata.to_owned()),
    };
    GcpKms::new(settings, address, DEADLINE).unwrap()
}

fn signer(place: &str, standin: &SignerStandIn) -> Arc<dyn KeySigner> {
    let remote = |family| Arc::new(RemoteSigner::new(&standin.url, None, account(family), DEADLINE).unwrap());
    match place {
        "web3signer" => remote(Family::Evm),
        "ed25519" => remote(Family::Solana),
        "aws" => Arc::new(aws(standin, AWS_SECRET_KEY, KMS_KEY)),
        _ => Arc::new(gcp(standin, &standin.url)),
    }
}

fn guarded(inner: Arc<dyn KeySigner>, deadline: Duration) -> Guarded {
    Guarded::new(inner, deadline)
}

async fn standin() -> SignerStandIn {
    SignerStandIn::start(&[EVM_KEY, [0x41; 32]], &[[0x42; 32], SEED], None).await
}

#[tokio::test]
async fn every_place_signs_for_its_account_whatever_the_payload() {
    let standin = standin().await;
    for (place, family) in PLACES {
        let signer = guarded(signer(place, &standin), DEADLINE);
        assert_eq!(signer.address(), account(family), "{place}");
        for text in ["", "a", "\u{19}\u{1} a statement", &"long ".repeat(5_000)] {
            for behaviour in [Behaviour::Signs, Behaviour::Varies] {
                standin.behaves(behaviour);
                let request = statement(text);
                let signature =
                    signer.sign(&request).await.unwrap_or_else(|error| panic!("{place}: {error}"));
                assert!(is_own(&account(family), &request.payload, &signature), "{place}");
            }
        }
    }
}

#[tokio::test]
async fn two_answers_that_differ_are_both_signatures_of_the_account() {
    let standin = standin().await;
    standin.behaves(Behaviour::Varies);
    for (place, family) in PLACES.into_iter().filter(|(_, family)| *family == Family::Evm) {
        let signer = guarded(signer(place, &standin), DEADLINE);
        let request = statement("the same");
        let _ = signer.sign(&request).await.unwrap();
        let (one, other) = (signer.sign(&request).await.unwrap(), signer.sign(&request).await.unwrap());
        assert_ne!(one, other, "{place}");
        assert!([one, other].iter().all(|signature| is_own(&account(family), &request.payload, signature)));
    }
}

#[tokio::test]
async fn every_failure_is_told_by_its_name_and_in_words_and_signing_goes_on_afterwards() {
    let standin = standin().await;
    for (place, _) in PLACES {
        let inner = signer(place, &standin);
        for behaviour in Behaviour::ALL {
            let (name, words) = match behaviour {
                Behaviour::Signs | Behaviour::Varies => continue,
                Behaviour::OtherKey => ("other_key", "another key"),
                Behaviour::Slow => ("slow", "300 ms"),
                Behaviour::Refuses => ("refused", "this key is disabled"),
                Behaviour::Fails => ("unreachable", "503"),
                Behaviour::Page => ("invalid_answer", "HTML"),
                Behaviour::Two => ("invalid_answer", "no"),
            };
            let deadline = if behaviour == Behaviour::Slow { SHORT } else { DEADLINE };
            let signer = guarded(Arc::clone(&inner), deadline);
            standin.behaves(Behaviour::Signs);
            // It looks for its key first, and so is asked for nothing but the signature below.
            inner.sign(&statement("first")).await.unwrap();
            standin.behaves(behaviour);
            let error = signer.sign(&statement("a")).await.expect_err(place);
            assert_eq!(error.name(), name, "{place}, {behaviour:?}: {error}");
            assert!(error.to_string().contains(words), "{place}, {behaviour:?}: {error}");
            standin.behaves(Behaviour::Signs);
            inner.sign(&statement("again")).await.unwrap_or_else(|error| panic!("{place}: {error}"));
        }
    }
}

#[tokio::test]
async fn place_that_nobody_answers_at_is_unreachable() {
    let nobody = {
        let standin = standin().await;
        let url = standin.url.clone();
        drop(standin);
        url
    };
    let remote = RemoteSigner::new(&nobody, None, account(Family::Evm), DEADLINE).unwrap();
    // The port may belong to somebody else by now, who does not sign either.
    assert!(remote.sign(&statement("a")).await.is_err());
    let remote = RemoteSigner::new("http://127.0.0.1:1", None, account(Family::Evm), DEADLINE).unwrap();
    let error = remote.sign(&statement("a")).await.unwrap_err();
    assert_eq!(error.name(), "unreachable", "{error}");
    assert!(!format!("{error} {remote:?} {}", remote.place()).contains("api/v1"));
}

#[tokio::test]
async fn remote_signer_without_the_key_or_the_token_refuses() {
    let standin = SignerStandIn::start(&[[0x41; 32]], &[], Some("hunter2hunter2")).await;
    let signer = |token: Option<&str>| {
        let token = token.map(str::to_owned);
        RemoteSigner::new(&standin.url, token, account(Family::Evm), DEADLINE).unwrap()
    };
    let error = signer(None).sign(&statement("a")).await.unwrap_err();
    assert_eq!((error.name(), error.to_string().contains("401")), ("refused", true), "{error}");
    let known = signer(Some("hunter2hunter2"));
    let error = known.sign(&statement("a")).await.unwrap_err();
    assert!(error.to_string().contains("none of its 1 keys is that of"), "{error}");
    assert!(!format!("{error} {known:?} {}", known.place()).contains("hunter2"));
    assert_eq!(standin.asked(), 0);
}

#[tokio::test]
async fn key_management_services_say_which_account_their_key_is() {
    let standin = standin().await;
    let aws = aws(&standin, AWS_SECRET_KEY, KMS_KEY).find_account().await.unwrap();
    let gcp = gcp(&standin, &standin.url).find_account().await.unwrap();
    assert_eq!([Address::Evm(aws), Address::Evm(gcp)], [account(Family::Evm); 2]);
}

#[tokio::test]
async fn wrongly_configured_account_is_told_with_the_right_one() {
    let standin = SignerStandIn::start(&[[0x41; 32]], &[], None).await;
    for place in ["aws", "gcp"] {
        let error = signer(place, &standin).sign(&statement("a")).await.unwrap_err();
        let found = Some(evm_account(&[0x41; 32]));
        assert_eq!(error, KeySignerError::OtherKey { found }, "{place}");
    }
}

#[tokio::test]
async fn wrong_credentials_and_unknown_keys_are_refusals_that_reveal_no_secret() {
    let standin = standin().await;
    let error = aws(&standin, "hunter2hunter2", KMS_KEY).sign(&statement("a")).await.unwrap_err();
    assert!(error.to_string().contains("InvalidSignatureException"), "{error}");
    let error = aws(&standin, AWS_SECRET_KEY, "alias/none").sign(&statement("a")).await.unwrap_err();
    assert!(error.to_string().contains("NotFoundException"), "{error}");
    let error = gcp(&standin, "http://127.0.0.1:1").sign(&statement("a")).await.unwrap_err();
    assert!(error.to_string().contains("no access token"), "{error}");
    assert_eq!(standin.asked(), 0);
}

#[tokio::test]
async fn keystores_hold_the_keys_that_sign() {
    for (family, key) in [(Family::Evm, EVM_KEY), (Family::Solana, SEED)] {
        let text = keystore::seal(&key, family, "password", Cost { log_n: 4 }).unwrap();
        let opened = keystore::open(&text, "password", family).unwrap();
        assert_eq!((opened.address, *opened.key), (account(family), key));
    }
}

#[tokio::test]
async fn guard_lets_nothing_through_that_is_not_the_accounts() {
    let other = FakeKey::new(EVM_KEY).answering_with([9; 32]);
    let signer = guarded(Arc::new(other), DEADLINE);
    let error = signer.sign(&statement("a")).await.unwrap_err();
    let found = evm_account(&[9; 32]);
    assert_eq!(error, KeySignerError::OtherKey { found: Some(found) });
}
