/// An account that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolanaAccount {
    pub address: [u8; 32],
    pub is_signer: bool,
    pub is_writable: bool,
}

/// An instruction of Solana.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolanaInstruction {
    pub program: [u8; 32],
    pub accounts: Vec<SolanaAccount>,
    pub data: Vec<u8>,
}

/// What one transaction of Solana does. Who pays for it, how much it may compute and its blockhash are not part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SolanaCall {
    pub instructions: Vec<SolanaInstruction>,
    /// Lookup tables that make the transaction shorter.
    pub tables: Vec<[u8; 32]>,
}

const IS_SIGNER: u8 = 1;
const IS_WRITABLE: u8 = 2;

impl SolanaCall {
    /// The form in which orders keep it; `None` for one that fits into no transaction.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = vec![u8::try_from(self.tables.len()).ok()?];
        bytes.extend(self.tables.iter().flatten());
        bytes.push(u8::try_from(self.instructions.len()).ok()?);
        for SolanaInstruction { program, accounts, data } in &self.instructions {
            bytes.extend(program);
            bytes.push(u8::try_from(accounts.len()).ok()?);
            for account in accounts {
                bytes.extend(account.address);
                let signer = if account.is_signer { IS_SIGNER } else { 0 };
                bytes.push(signer | if account.is_writable { IS_WRITABLE } else { 0 });
            }
            bytes.extend(u16::try_from(data.len()).ok()?.to_be_bytes());
            bytes.extend(data);
        }
        Some(bytes)
    }

    /// Reads what [`Self::to_bytes`] wrote; `None` for everything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes;
        let mut call = Self::default();
        for _ in 0..take::<1>(&mut rest)?[0] {
            call.tables.push(take(&mut rest)?);
        }
        for _ in 0..take::<1>(&mut rest)?[0] {
            let program = take(&mut rest)?;
            let mut accounts = Vec::new();
            for _ in 0..take::<1>(&mut rest)?[0] {
                let address = take(&mut rest)?;
                let [flags] = take(&mut rest)?;
                if flags > IS_SIGNER | IS_WRITABLE {
                    return None;
                }
                let (is_signer, is_writable) = (flags & IS_SIGNER != 0, flags & IS_WRITABLE != 0);
                accounts.push(SolanaAccount { address, is_signer, is_writable });
            }
            let length = usize::from(u16::from_be_bytes(take(&mut rest)?));
            let (data, after) = rest.split_at_checked(length)?;
            rest = after;
            call.instructions.push(SolanaInstruction { program, accounts, data: data.to_vec() });
        }
        rest.is_empty().then_some(call)
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*taken)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn account() -> impl Strategy<Value = SolanaAccount> {
        let parts = (any::<[u8; 32]>(), any::<bool>(), any::<bool>());
        parts.prop_map(|(address, is_signer, is_writable)| SolanaAccount { address, is_signer, is_writable })
    }

    fn call() -> impl Strategy<Value = SolanaCall> {
        let data = prop::collection::vec(any::<u8>(), 0..40);
        let instruction = (any::<[u8; 32]>(), prop::collection::vec(account(), 0..5), data)
            .prop_map(|(program, accounts, data)| SolanaInstruction { program, accounts, data });
        (prop::collection::vec(instruction, 0..4), prop::collection::vec(any::<[u8; 32]>(), 0..3))
            .prop_map(|(instructions, tables)| SolanaCall { instructions, tables })
    }

    #[test]
    fn what_fits_into_no_transaction_has_no_form() {
        let long = SolanaInstruction { program: [1; 32], accounts: Vec::new(), data: vec![0; 70_000] };
        assert_eq!(SolanaCall { instructions: vec![long], tables: Vec::new() }.to_bytes(), None);
        assert_eq!(SolanaCall { instructions: Vec::new(), tables: vec![[1; 32]; 256] }.to_bytes(), None);
    }

    #[test]
    fn unknown_flags_and_more_bytes_are_refused() {
        let accounts = vec![SolanaAccount { address: [2; 32], is_signer: true, is_writable: true }];
        let only = SolanaInstruction { program: [1; 32], accounts, data: Vec::new() };
        let bytes = SolanaCall { instructions: vec![only], tables: Vec::new() }.to_bytes().unwrap();
        let flags = bytes.len() - 3;
        assert_eq!(bytes[flags], 3);
        let mut other = bytes.clone();
        other[flags] = 4;
        assert_eq!(SolanaCall::from_bytes(&other), None);
        assert_eq!(SolanaCall::from_bytes(&[&bytes[..], &[0]].concat()), None);
        assert!(SolanaCall::from_bytes(&bytes).is_some());
    }

    proptest! {
        #[test]
        fn a_call_is_read_back_as_it_was(call in call()) {
            prop_assert_eq!(SolanaCall::from_bytes(&call.to_bytes().unwrap()), Some(call));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Some(call) = SolanaCall::from_bytes(&bytes) {
                prop_assert_eq!(call.to_bytes(), Some(bytes));
            }
        }
    }
}
