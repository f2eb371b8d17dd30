use alloy_primitives::hex;
use alloy_sol_types::{Panic, Revert, SolError};

use crate::contracts::describe_error;

/// Describes a revert: the contract's own text, the meaning of a panic or known error, or the selector of an unknown error.
pub fn revert_reason(data: &[u8]) -> Option<String> {
    if let Ok(revert) = Revert::abi_decode(data) {
        let text: String = revert.reason.chars().filter(|c| !c.is_control()).take(300).collect();
        return Some(format!("reverted: {text}"));
    }
    if let Ok(panic) = Panic::abi_decode(data) {
        let meaning =
            panic.kind().map_or_else(|| "panic of an unknown kind".to_owned(), |kind| kind.to_string());
        return Some(format!("reverted: {meaning}"));
    }
    if let Some((name, text)) = describe_error(data) {
        return Some(format!("{text} ({name})"));
    }
    let selector = data.first_chunk::<4>()?;
    Some(format!("reverted with the contract's error {}", hex::encode_prefixed(selector)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reasons_panics_and_custom_errors_are_distinguished() {
        let reason = Revert::from("ERC20: transfer amount exceeds balance").abi_encode();
        assert_eq!(revert_reason(&reason).unwrap(), "reverted: ERC20: transfer amount exceeds balance");
        let panic = Panic::from(0x11).abi_encode();
        assert!(revert_reason(&panic).unwrap().contains("overflow"), "{:?}", revert_reason(&panic));
        assert_eq!(
            revert_reason(&[0xde, 0xad, 0xbe, 0xef, 1]).unwrap(),
            "reverted with the contract's error 0xdeadbeef"
        );
        assert_eq!(revert_reason(&[]), None);
    }

    #[test]
    fn an_error_of_our_contracts_is_described_in_a_sentence() {
        use crate::contracts::Escrow::OpenDeadlinePassed;
        let late = OpenDeadlinePassed { openDeadline: alloy_primitives::U256::from(5) }.abi_encode();
        let text = "the order's time to deposit is over; ask for a new quote (OpenDeadlinePassed)";
        assert_eq!(revert_reason(&late).unwrap(), text);
    }

    proptest! {
        #[test]
        fn any_data_is_read_without_panic(data in any::<Vec<u8>>()) {
            let _ = revert_reason(&data);
            let _ = revert_reason(&[&Revert::SELECTOR[..], &data].concat());
        }
    }
}
