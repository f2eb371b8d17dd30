use alloy_primitives::B256;

/// Error text for bytes that cannot be parsed.
pub(super) const UNREADABLE: &str = "The deposit transaction is not a version 0 Solana transaction.";

const SIGNATURE: usize = 64;
/// The first byte of a message of version 0.
const VERSION_0: u8 = 0x80;

/// A parsed Solana transaction.
pub(super) struct Transaction<'a> {
    /// Number of signature slots.
    pub(super) slots: usize,
    /// Number of signatures that the message requires.
    pub(super) signers: u8,
    /// The message, which is the signed part.
    pub(super) bytes: &'a [u8],
    pub(super) keys: Vec<B256>,
    pub(super) instructions: Vec<Instruction<'a>>,
    /// Number of address lookup tables.
    pub(super) tables: usize,
}

/// A call of one program.
pub(super) struct Instruction<'a> {
    pub(super) program: B256,
    /// Indexes into the keys of the message.
    pub(super) accounts: &'a [u8],
    pub(super) data: &'a [u8],
}

impl<'a> Transaction<'a> {
    /// Parses a version 0 transaction without trailing bytes.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = Reader(bytes);
        let slots = rest.count()?;
        rest.take(slots.checked_mul(SIGNATURE)?)?;
        let message = rest.0;
        let [version, signers, _, _] = *rest.array::<4>()?;
        if version != VERSION_0 {
            return None;
        }
        let mut keys = Vec::new();
        for _ in 0..rest.count()? {
            keys.push(B256::from(rest.array::<32>()?));
        }
        let _blockhash = rest.array::<32>()?;
        let mut instructions = Vec::new();
        for _ in 0..rest.count()? {
            let [program] = *rest.array::<1>()?;
            let accounts = rest.count()?;
            let accounts = rest.take(accounts)?;
            let data = rest.count()?;
            let data = rest.take(data)?;
            instructions.push(Instruction { program: *keys.get(usize::from(program))?, accounts, data });
        }
        let tables = rest.count()?;
        for _ in 0..tables {
            rest.array::<32>()?;
            for _ in 0..2 {
                let numbers = rest.count()?;
                rest.take(numbers)?;
            }
        }
        let transaction = Self { slots, signers, bytes: message, keys, instructions, tables };
        rest.0.is_empty().then_some(transaction)
    }

    /// The address of an instruction's account; `None` if it comes from a lookup table.
    pub(super) fn account(&self, instruction: &Instruction<'_>, number: usize) -> Option<B256> {
        self.keys.get(usize::from(*instruction.accounts.get(number)?)).copied()
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(taken)
    }

    /// A compact-u16: seven bits per byte, lowest first.
    fn count(&mut self) -> Option<usize> {
        let mut count = 0_usize;
        for shift in [0, 7, 14] {
            let [byte] = *self.array::<1>()?;
            count |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return u16::try_from(count).is_ok().then_some(count);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = Transaction::read(&bytes);
            let _ = Transaction::read(&[&[0, VERSION_0][..], &bytes].concat());
        }
    }
}
