mod batch;
mod digest;

use std::fmt;

use alloy_primitives::{Address, B256, FixedBytes};

pub use batch::{CollectedBatch, FilledOrder, SignedBatch, batch_digest, batch_payload};

/// A secp256k1 signature as the escrows take it: r, a low s, and 27 or 28.
pub type SignatureBytes = FixedBytes<65>;

/// A statement of an attester about an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attestation {
    /// Filled at that destination chain time; `fill_ref` is the transaction hash on EVM, the address of the fill record
    /// on Solana.
    Filled { order: B256, filled_at: u64, fill_ref: B256 },
    /// Not filled at that destination chain time, which is past the fill deadline.
    Unfilled { order: B256, destination_time: u64 },
}

impl Attestation {
    pub const fn order(&self) -> B256 {
        match self {
            Self::Filled { order, .. } | Self::Unfilled { order, .. } => *order,
        }
    }

    pub const fn outcome(&self) -> Outcome {
        match self {
            Self::Filled { .. } => Outcome::Filled,
            Self::Unfilled { .. } => Outcome::Unfilled,
        }
    }
}

/// The outcome that an attestation states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    Filled,
    Unfilled,
}

impl Outcome {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Filled => "filled",
            Self::Unfilled => "unfilled",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One attester's signed statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignedAttestation {
    pub attestation: Attestation,
    /// The order's epoch, in which the signer must be an attester.
    pub epoch: u64,
    pub attester: Address,
    pub signature: SignatureBytes,
}

/// The same attestation signed by a threshold of attesters, ready for the escrow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectedAttestation {
    pub attestation: Attestation,
    /// In ascending order of their signers' addresses.
    pub signatures: Vec<SignatureBytes>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attestation_names_its_order_and_its_outcome() {
        let order = B256::repeat_byte(7);
        let filled = Attestation::Filled { order, filled_at: 1, fill_ref: B256::ZERO };
        let unfilled = Attestation::Unfilled { order, destination_time: 2 };
        assert_eq!((filled.order(), filled.outcome().to_string()), (order, "filled".to_owned()));
        assert_eq!((unfilled.order(), unfilled.outcome().to_string()), (order, "unfilled".to_owned()));
    }
}
