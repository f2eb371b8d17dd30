use alloy_sol_types::SolError;

use super::abi::{AttesterRegistry, DepositFactory, Escrow, Permit2, Settler, Token};

/// An error of our contracts or of a contract that they call: selector, name and meaning.
type KnownError = ([u8; 4], &'static str, &'static str);

macro_rules! known_errors {
    ($($contract:ident { $($name:ident: $meaning:literal,)* })*) => {
        &[$($(($contract::$name::SELECTOR, stringify!($name), $meaning),)*)*]
    };
}

const KNOWN_ERRORS: &[KnownError] = known_errors! {
    Escrow {
        AlreadyFilled: "the order was filled, so its deposit is not refunded",
        AlreadyOpened: "a deposit for this order was made before",
        AttestationsRefused: "both sides of the order are on one chain, which needs no attestation",
        BadBatch: "the batch's entries are longer or shorter than they say, or name terms that do not exist",
        BadDeadlines: "the order's deadlines are not in order, or too near to each other or too far apart",
        BadOrderLength: "the encoded order has the wrong length",
        DirtyAddress: "an address of the order is not an EVM address",
        EmptyBatch: "the batch has no orders",
        EnvelopeMismatch: "the envelope contradicts the order inside it",
        EscrowAsParty: "the escrow itself cannot be paid",
        FeeAboveAmount: "the referrer's fee is more than the deposit",
        FillDeadlineTooFar: "the order's fill deadline is more than a week away",
        FilledTooLate: "the order was delivered after its deadline",
        MixedBatch: "the orders of a batch must have one epoch, and be all on one chain or all between two",
        NotFilled: "the order was not delivered",
        NotOpen: "the escrow does not hold this deposit: it was never made, or was already paid out or refunded",
        NotRefundable: "it is too early to refund the deposit",
        NotTheDepositor: "only the order's payer may deposit for it",
        NotTheRefundAddress: "only the order's refund address may name another one",
        NotTheUser: "the order's payer neither called nor signed the order",
        NotUnfilled: "the attested time is before the fill deadline",
        OpenDeadlinePassed: "the order's time to deposit is over; ask for a new quote",
        OpeningPaused: "new deposits are paused by an attester",
        ReentrancyGuardReentrantCall: "the contract was called from within its own call",
        TransferFailed: "the token refused a transfer: too little balance or allowance, a paused token, or a blocked address",
        WrongChain: "the order is for another chain",
        WrongDelta: "the token did not deliver the exact amount, as tokens with a fee on transfer do",
        WrongEpoch: "the attesters have changed since the quote; ask for a new one",
        WrongEscrow: "the order is for another escrow",
        WrongNativeValue: "the transaction carries another amount of the chain's coin than the order says",
        WrongOrderType: "this is not an order of this kind",
        WrongSettler: "the order is for another settler",
        WrongVersion: "the order is for another version of the contracts",
        ZeroAddress: "an address of the order is missing",
        ZeroAmount: "an amount of the order is zero",
    }
    Settler {
        AlreadyFilled: "the order was delivered before",
        BadFillerData: "the filler data does not match the order's token",
        BadRecipient: "this recipient cannot be paid",
        DeliveredTooLittle: "the recipient would get less than the order says",
        FillDeadlinePassed: "the order's time to be delivered is over",
        SafeERC20FailedOperation: "a token call failed",
        WrongOrderId: "the order's id is not that of its terms",
    }
    DepositFactory {
        Expired: "the address's time is over",
        FillDeadlineTooFar: "the delivery's deadline is too far away",
        JumpMismatch: "the order is not what the address was made for",
        NoRefundAddress: "the order has no refund address",
        NotTheMaker: "the maker's signature is by another key",
        OpenFailed: "the escrow did not take the deposit",
        RateTooLow: "the rate is worse than what the address was made for",
        SafeCastOverflowedUintDowncast: "a deadline is beyond the standard's 32 bits",
        StillAwaited: "the deposit may still open its order, so it is not refunded yet",
        TooLittle: "less has arrived than the order takes",
        TooLittleGas: "the transaction has too little gas to return every token",
    }
    AttesterRegistry {
        AttestersNotAscending: "the attesters are not listed in ascending order",
        BadThreshold: "the threshold must be above half of the attesters and at most all of them",
        ECDSAInvalidSignature: "a signature is invalid",
        ECDSAInvalidSignatureLength: "a signature has the wrong length",
        ECDSAInvalidSignatureS: "a signature is not in its low form",
        NotAnAttester: "a signature is not by an attester of this order's epoch",
        SignersNotAscending: "the signatures are out of order, or one came twice",
        ThresholdWouldBreak: "too few attesters would remain",
        TooFewSignatures: "too few attesters have signed",
        UnknownEpoch: "there are no attesters for the order's epoch",
    }
    Permit2 {
        InvalidAmount: "the permit is for a smaller amount",
        InvalidContractSignature: "the payer's wallet contract does not accept the signature",
        InvalidNonce: "the permit was used or withdrawn before",
        InvalidSignature: "the permit's signature is invalid",
        InvalidSignatureLength: "the permit's signature has the wrong length",
        InvalidSigner: "the permit was signed by another key, or over another order",
        SignatureExpired: "the permit has expired; ask for a new quote",
    }
    Token {
        ERC20InsufficientAllowance: "the allowance is too small",
        ERC20InsufficientBalance: "the balance is too small",
        ERC20InvalidReceiver: "the token cannot be sent there",
        ERC4626ExceededMaxMint: "the vault takes no more deposits now",
        EnforcedPause: "the contract is paused",
    }
};

/// The name and meaning of a revert, if we know its selector.
pub(crate) fn describe_error(data: &[u8]) -> Option<(&'static str, &'static str)> {
    let selector = data.first_chunk::<4>()?;
    KNOWN_ERRORS.iter().find(|(known, ..)| known == selector).map(|(_, name, meaning)| (*name, *meaning))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{hex, keccak256};
    use serde_json::Value;

    use super::*;

    /// Thrown by constructors only.
    const AT_CREATION: [&str; 2] = ["InvalidShortString", "StringTooLong"];

    fn errors(json: &str) -> Vec<(String, [u8; 4])> {
        let artifact: Value = serde_json::from_str(json).unwrap();
        let entries = artifact["abi"].as_array().unwrap().iter().filter(|entry| entry["type"] == "error");
        let read = |entry: &Value| {
            let name = entry["name"].as_str().unwrap().to_owned();
            let types: Vec<&str> = entry["inputs"]
                .as_array()
                .unwrap()
                .iter()
                .map(|input| input["type"].as_str().unwrap())
                .collect();
            let hash = keccak256(format!("{name}({})", types.join(",")));
            (name, *hash.first_chunk::<4>().unwrap())
        };
        entries.map(read).filter(|(name, _)| !AT_CREATION.contains(&name.as_str())).collect()
    }

    #[test]
    fn every_error_of_our_contracts_is_described() {
        for json in [
            include_str!("../../../../contracts/evm/artifacts/Escrow.json"),
            include_str!("../../../../contracts/evm/artifacts/Settler.json"),
            include_str!("../../../../contracts/evm/artifacts/DepositFactory.json"),
        ] {
            for (name, selector) in errors(json) {
                assert_eq!(describe_error(&selector).map(|(name, _)| name), Some(name.as_str()));
            }
        }
    }

    #[test]
    fn selectors_of_known_errors_are_unique() {
        let mut selectors: Vec<[u8; 4]> = KNOWN_ERRORS.iter().map(|(selector, ..)| *selector).collect();
        selectors.sort_unstable();
        selectors.dedup();
        assert_eq!(selectors.len(), KNOWN_ERRORS.len());
    }

    #[test]
    fn permit2_is_known_by_the_selectors_of_its_deployed_code() {
        assert_eq!(Permit2::InvalidNonce::SELECTOR, [0x75, 0x66, 0x88, 0xfe]);
        assert_eq!(Permit2::InvalidSigner::SELECTOR, [0x81, 0x5e, 0x1d, 0x64]);
        let code = include_str!("../../../../contracts/evm/artifacts/Permit2.json");
        for (selector, name, _) in KNOWN_ERRORS.iter().filter(|(.., meaning)| meaning.contains("permit")) {
            let hex = hex::encode(selector);
            // A selector that ends in zeros is written shorter.
            assert!(code.contains(hex.trim_end_matches("00").trim_start_matches('0')), "{name} {hex}");
        }
    }
}
