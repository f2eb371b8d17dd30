use alloy_primitives::B256;
use ed25519_dalek::VerifyingKey;
use sha2::{Digest as _, Sha256};

/// The address that a Solana program derives from its seeds.
pub(super) fn program_address(seeds: &[&[u8]], program: B256) -> Option<B256> {
    (0..=u8::MAX).rev().find_map(|bump| {
        let hash = Sha256::new()
            .chain_update(seeds.concat())
            .chain_update([bump])
            .chain_update(program)
            .chain_update(b"ProgramDerivedAddress")
            .finalize();
        let hash = <[u8; 32]>::from(hash);
        VerifyingKey::from_bytes(&hash).is_err().then_some(B256::from(hash))
    })
}

#[cfg(test)]
mod tests {
    use causeway_solana::program::{EscrowProgram, SANDBOX_PROGRAM};

    use super::*;

    #[test]
    fn addresses_match_those_of_the_program() {
        let (program, escrow) = (EscrowProgram::new(SANDBOX_PROGRAM), SANDBOX_PROGRAM.to_bytes().into());
        let same = |seeds: &[&[u8]], address: solana_address::Address| {
            assert_eq!(program_address(seeds, escrow), Some(B256::from(address.to_bytes())));
        };
        same(&[b"config"], program.attester_config());
        for byte in 0..32 {
            let id = B256::repeat_byte(byte);
            same(&[b"deposit", id.as_slice()], program.deposit(id));
            same(&[b"order", id.as_slice()], program.order(id));
            same(&[b"vault", id.as_slice()], program.vault(id));
        }
    }
}
