use alloy_primitives::Address as Attester;
use causeway_domain::SignatureBytes;
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use super::EscrowProgram;
use super::address::SYSTEM;

const INIT: u8 = 0;
const HAND_OVER: u8 = 1;
const RESIGN: u8 = 2;
const PAUSE: u8 = 3;

impl EscrowProgram {
    /// Initializes the first epoch, once. `authority` signs, pays and must be the upgrade authority; the attesters
    /// are in ascending order.
    pub fn init(
        &self,
        authority: Address,
        min_grace: u64,
        threshold: u8,
        members: &[Attester],
    ) -> Instruction {
        let accounts = vec![
            AccountMeta::new(authority, true),
            AccountMeta::new(self.attester_config(), false),
            AccountMeta::new(self.epoch(1), false),
            AccountMeta::new_readonly(self.code(), false),
            AccountMeta::new_readonly(SYSTEM, false),
        ];
        let mut data = vec![INIT];
        data.extend(min_grace.to_le_bytes());
        data.push(threshold);
        data.extend(members.iter().flatten());
        Instruction { program_id: self.id, accounts, data }
    }

    /// Moves from the current epoch to the next with its attesters' signatures, signers in ascending order;
    /// `payer` signs and pays the rent.
    pub fn hand_over(
        &self,
        payer: Address,
        current: u64,
        (threshold, members): (u8, &[Attester]),
        signatures: &[SignatureBytes],
    ) -> Instruction {
        let accounts = vec![
            AccountMeta::new(payer, true),
            AccountMeta::new(self.attester_config(), false),
            AccountMeta::new_readonly(self.epoch(current), false),
            AccountMeta::new(self.epoch(current.saturating_add(1)), false),
            AccountMeta::new_readonly(SYSTEM, false),
        ];
        let mut data = vec![HAND_OVER, threshold];
        data.extend(u8::try_from(members.len()));
        data.extend(members.iter().flatten());
        data.extend(signatures.concat());
        Instruction { program_id: self.id, accounts, data }
    }

    /// Removes a key from an epoch with its own signature.
    pub fn resign(&self, epoch: u64, signature: &SignatureBytes) -> Instruction {
        let accounts = vec![AccountMeta::new(self.epoch(epoch), false)];
        Instruction { program_id: self.id, accounts, data: [&[RESIGN][..], signature.as_slice()].concat() }
    }

    /// Pauses new deposits until the time that a current attester signed.
    pub fn pause(&self, current: u64, until: u64, signature: &SignatureBytes) -> Instruction {
        let accounts = vec![
            AccountMeta::new(self.attester_config(), false),
            AccountMeta::new_readonly(self.epoch(current), false),
        ];
        let data = [&[PAUSE][..], &until.to_le_bytes(), signature.as_slice()].concat();
        Instruction { program_id: self.id, accounts, data }
    }
}
