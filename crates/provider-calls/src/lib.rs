//! What the calls of liquidity providers' contracts say of themselves: who pays what, and who receives what. The service reads
//! them before it hands a provider's transaction out, and the SDK before a wallet signs one.
//!
//! A call counts as read only in the one form that encoders write: with anything left out, added or put elsewhere it is refused,
//! so that nothing in it goes unseen.

use alloy_sol_types::SolCall;

pub mod jupiter;
pub mod lifi;
pub mod relay;
pub mod zerox;

/// A call of a contract of an EVM chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvmCall {
    Lifi(lifi::Call),
    Relay(relay::Deposit),
    Zerox(zerox::Swap),
}

/// Why a call is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is of a function that is not known here.
    Unknown,
    /// Its arguments are not those of its function.
    Malformed,
}

impl EvmCall {
    /// Reads a call; its function says which provider it is for.
    pub fn read(data: &[u8]) -> Result<Self, Unreadable> {
        let (selector, _) = data.split_first_chunk::<4>().ok_or(Unreadable::Unknown)?;
        let read = if relay::is_known(*selector) {
            relay::Deposit::read(data).map(Self::Relay)
        } else if zerox::is_known(*selector) {
            zerox::Swap::read(data).map(Self::Zerox)
        } else if lifi::is_known(*selector) {
            lifi::Call::read(data).map(Self::Lifi)
        } else {
            return Err(Unreadable::Unknown);
        };
        read.ok_or(Unreadable::Malformed)
    }
}

/// Reads the arguments of a call in the form that encoders write.
fn read_exactly<C: SolCall>(data: &[u8]) -> Option<C> {
    let call = C::abi_decode_validate(data).ok()?;
    (call.abi_encode() == data).then_some(call)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{Address, B256, U256};
    use proptest::prelude::*;

    use super::*;

    fn calls() -> Vec<Vec<u8>> {
        let address = Address::repeat_byte;
        let deposit = relay::Deposit { depositor: address(1), token: None, id: B256::repeat_byte(3) };
        let with_token = relay::Deposit { token: Some((address(2), U256::from(25))), ..deposit };
        let mut calls = vec![
            deposit.call(),
            with_token.call(),
            zerox::tests::swap().call(vec![vec![7; 5].into()], B256::ZERO).into(),
        ];
        calls.extend(lifi::tests::samples());
        calls
    }

    #[test]
    fn calls_are_read_by_their_function() {
        for call in calls() {
            assert!(EvmCall::read(&call).is_ok(), "{}", alloy_primitives::hex::encode(&call));
            for short in [3, 0] {
                assert_eq!(EvmCall::read(&call[..short]), Err(Unreadable::Unknown));
            }
        }
        assert_eq!(EvmCall::read(&[1, 2, 3, 4, 5]), Err(Unreadable::Unknown));
    }

    #[test]
    fn a_call_that_is_cut_off_or_goes_on_is_not_read() {
        for call in calls() {
            for length in 4..call.len() {
                assert_eq!(EvmCall::read(&call[..length]), Err(Unreadable::Malformed), "{length}");
            }
            for more in [vec![0], vec![0; 32], vec![1; 64]] {
                assert_eq!(EvmCall::read(&[call.clone(), more].concat()), Err(Unreadable::Malformed));
            }
        }
    }

    #[test]
    fn a_changed_byte_is_refused_or_seen_or_belongs_to_what_is_not_compared() {
        for call in calls() {
            let read = EvmCall::read(&call).unwrap();
            let flips = (0..call.len()).flat_map(|at| [1, 0x80, 0xff].map(|bits| (at, bits)));
            for (at, bits) in flips {
                let mut changed = call.clone();
                changed[at] ^= bits;
                match EvmCall::read(&changed) {
                    Err(_) => {}
                    Ok(EvmCall::Relay(deposit)) => assert_ne!(EvmCall::Relay(deposit), read, "{at}"),
                    // What the settler or a bridge is told besides is not part of what was read.
                    Ok(other) => assert_eq!(discriminant(&other), discriminant(&read), "{at}"),
                }
            }
        }
    }

    fn discriminant(call: &EvmCall) -> std::mem::Discriminant<EvmCall> {
        std::mem::discriminant(call)
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(
            which in any::<prop::sample::Index>(), rest in prop::collection::vec(any::<u8>(), 0..900),
        ) {
            let _ = EvmCall::read(&rest);
            let calls = calls();
            let selector = &calls[which.index(calls.len())][..4];
            let _ = EvmCall::read(&[selector, &rest].concat());
        }

        #[test]
        fn any_words_are_read_without_panic(
            which in any::<prop::sample::Index>(), words in prop::collection::vec(0_u16..700, 0..40),
        ) {
            let calls = calls();
            let words = words.into_iter().flat_map(|word| B256::left_padding_from(&word.to_be_bytes()).0);
            let data: Vec<u8> = calls[which.index(calls.len())][..4].iter().copied().chain(words).collect();
            let _ = EvmCall::read(&data);
        }
    }
}
