use causeway_domain::ports::ChainError;
use serde::Deserialize;
use serde_json::json;
use solana_address::Address;
use solana_hash::Hash;
use solana_instruction::Instruction;
use solana_message::{AddressLookupTableAccount, v0};
use thiserror::Error;

use crate::commitment::{Commitment, Contextual};
use crate::rpc::{Call, SolanaRpc};

/// The size of one network packet.
pub const MAX_TRANSACTION_BYTES: usize = 1_232;
const SIGNATURE_BYTES: usize = 64;
/// More signatures do not fit into a packet.
const MAX_SIGNATURES: u8 = 12;

/// A blockhash and the last block height that accepts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecentBlockhash {
    pub blockhash: Hash,
    pub last_valid_block_height: u64,
}

/// A version 0 message without its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedTransaction {
    message: Vec<u8>,
    signatures: u8,
    /// The last block height at which it can land.
    pub last_valid_block_height: u64,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BuildError {
    #[error("the instructions do not compile into a transaction: {0}")]
    Compile(String),
    #[error("the transaction takes {0} bytes, more than the {MAX_TRANSACTION_BYTES} that Solana carries")]
    TooLarge(usize),
    #[error("the transaction needs {0} signatures, more than fit")]
    TooManySigners(u8),
}

impl UnsignedTransaction {
    /// Compiles instructions into a message that `payer` pays for.
    pub fn build(
        payer: &Address,
        instructions: &[Instruction],
        tables: &[AddressLookupTableAccount],
        recent: RecentBlockhash,
    ) -> Result<Self, BuildError> {
        let message = v0::Message::try_compile(payer, instructions, tables, recent.blockhash)
            .map_err(|error| BuildError::Compile(error.to_string()))?;
        message.sanitize().map_err(|error| BuildError::Compile(error.to_string()))?;
        let signatures = message.header.num_required_signatures;
        if signatures > MAX_SIGNATURES {
            return Err(BuildError::TooManySigners(signatures));
        }
        let unsigned = Self {
            message: message.serialize(),
            signatures,
            last_valid_block_height: recent.last_valid_block_height,
        };
        match unsigned.to_wire().len() {
            length if length > MAX_TRANSACTION_BYTES => Err(BuildError::TooLarge(length)),
            _ => Ok(unsigned),
        }
    }

    /// The bytes to sign.
    pub fn message(&self) -> &[u8] {
        &self.message
    }

    /// The transaction with zeroed signatures, as wallets accept it.
    pub fn to_wire(&self) -> Vec<u8> {
        let mut wire = vec![self.signatures];
        wire.resize(1 + SIGNATURE_BYTES * usize::from(self.signatures), 0);
        wire.extend_from_slice(&self.message);
        wire
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireBlockhash {
    blockhash: String,
    last_valid_block_height: u64,
}

impl SolanaRpc {
    /// A confirmed blockhash for a new transaction; a final one would expire about twelve seconds earlier.
    pub async fn recent_blockhash(&self) -> Result<RecentBlockhash, ChainError> {
        let call =
            Call { method: "getLatestBlockhash", params: json!([{ "commitment": Commitment::Confirmed }]) };
        let recent = self.request(call, |answer: Contextual<WireBlockhash>| {
            let text = answer.value.blockhash;
            Ok(RecentBlockhash {
                blockhash: text.parse().map_err(|_| format!("`{text}` is not a blockhash"))?,
                last_valid_block_height: answer.value.last_valid_block_height,
            })
        });
        Ok(recent.await?)
    }
}

#[cfg(test)]
mod tests {
    use solana_instruction::AccountMeta;

    use super::*;

    const PAYER: Address = Address::new_from_array([1; 32]);

    fn recent() -> RecentBlockhash {
        RecentBlockhash { blockhash: Hash::new_from_array([7; 32]), last_valid_block_height: 150 }
    }

    fn instruction(data: usize, signers: u8) -> Instruction {
        let signer = |number| AccountMeta::new_readonly(Address::new_from_array([100 + number; 32]), true);
        Instruction {
            program_id: Address::new_from_array([2; 32]),
            accounts: (0..signers).map(signer).collect(),
            data: vec![0; data],
        }
    }

    #[test]
    fn a_built_transaction_is_version_zero_with_room_for_its_signatures() {
        let built = UnsignedTransaction::build(&PAYER, &[instruction(3, 1)], &[], recent()).unwrap();
        assert_eq!(built.message()[0], 0x80);
        let wire = built.to_wire();
        assert_eq!(wire[0], 2, "the payer's and the signer's");
        assert!(wire[1..129].iter().all(|byte| *byte == 0));
        assert_eq!(&wire[129..], built.message());
    }

    #[test]
    fn transaction_larger_than_a_packet_is_refused() {
        let fits = |data| UnsignedTransaction::build(&PAYER, &[instruction(data, 0)], &[], recent());
        let Err(BuildError::TooLarge(length)) = fits(1_200) else { panic!("1,200 bytes of data do not fit") };
        let most = 1_200 - (length - MAX_TRANSACTION_BYTES);
        assert_eq!(fits(most).unwrap().to_wire().len(), MAX_TRANSACTION_BYTES);
        assert_eq!(fits(most + 1), Err(BuildError::TooLarge(MAX_TRANSACTION_BYTES + 1)));
        let crowd = UnsignedTransaction::build(&PAYER, &[instruction(0, 30)], &[], recent());
        assert_eq!(crowd, Err(BuildError::TooManySigners(31)));
    }

    #[test]
    fn lookup_table_addresses_are_not_inlined() {
        let far = Address::new_from_array([9; 32]);
        let mut instruction = instruction(0, 0);
        instruction.accounts.push(AccountMeta::new(far, false));
        let table = AddressLookupTableAccount { key: Address::new_from_array([8; 32]), addresses: vec![far] };
        let built = UnsignedTransaction::build(&PAYER, &[instruction], &[table], recent()).unwrap();
        assert!(!built.message().windows(32).any(|window| window == far.as_ref()));
    }
}
