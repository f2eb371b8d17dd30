//! Jupiter's program on Solana.

use crate::Unreadable;

/// An address of Solana.
pub type Key = [u8; 32];

/// The discriminators of the two instructions that are read: both swap an exact input, the second through token accounts of the
/// program.
const ROUTE: [u8; 8] = [0xbb, 0x64, 0xfa, 0xcc, 0x31, 0xc4, 0xaf, 0x14];
const SHARED_ROUTE: [u8; 8] = [0xd1, 0x98, 0x53, 0x93, 0x7c, 0xfe, 0xd8, 0xe9];

/// What both begin with, in their order: input, quoted output, slippage, the operator's fee, and a fee of a better price.
const NUMBERS: usize = 8 + 8 + 2 + 2 + 2;

const ALL_BPS: u128 = 10_000;

/// A swap of Jupiter's program, as its own instruction says it. Accounts that come from a lookup table are `None`: what is in the
/// table stands on the chain and not in the transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    /// Who signs for the input.
    pub payer: Option<Key>,
    /// The token accounts that the input leaves and the output enters.
    pub source: Option<Key>,
    pub destination: Option<Key>,
    pub input: Option<Key>,
    pub output: Option<Key>,
    /// The token programs of input and output.
    pub input_program: Option<Key>,
    pub output_program: Option<Key>,
    pub amount: u64,
    pub quoted: u64,
    pub slippage_bps: u16,
    pub fee_bps: u16,
    pub surplus_bps: u16,
}

impl Swap {
    /// Reads an instruction of the program. The accounts of exchanges and the plan of the route that follow are not read.
    pub fn read(program: &Key, accounts: &[Option<Key>], data: &[u8]) -> Result<Self, Unreadable> {
        let (name, rest) = data.split_first_chunk::<8>().ok_or(Unreadable::Unknown)?;
        let (numbers, places) = match *name {
            ROUTE => (Some(rest), [0, 1, 2, 3, 4, 5, 6]),
            // A number says which of the program's accounts it goes through.
            SHARED_ROUTE => (rest.get(1..), [1, 2, 5, 6, 7, 8, 9]),
            _ => return Err(Unreadable::Unknown),
        };
        Self::read_arguments(program, accounts, numbers, places, *name == ROUTE).ok_or(Unreadable::Malformed)
    }

    fn read_arguments(
        program: &Key,
        accounts: &[Option<Key>],
        numbers: Option<&[u8]>,
        places: [usize; 7],
        names_destination: bool,
    ) -> Option<Self> {
        let account = |place: usize| accounts.get(place).copied();
        let [payer, source, destination, input, output, input_program, output_program] = places;
        let mut destination = account(destination)?;
        if names_destination {
            // Another account for the output, or the program itself for none.
            destination = account(7).filter(|other| *other != Some(*program)).unwrap_or(destination);
        }
        let (numbers, _) = numbers?.split_first_chunk::<NUMBERS>()?;
        let (amount, numbers) = numbers.split_first_chunk()?;
        let (quoted, numbers) = numbers.split_first_chunk()?;
        let (bps, _) = numbers.as_chunks::<2>();
        let [slippage, fee, surplus] = *bps else { return None };
        Some(Self {
            payer: account(payer)?,
            source: account(source)?,
            destination,
            input: account(input)?,
            output: account(output)?,
            input_program: account(input_program)?,
            output_program: account(output_program)?,
            amount: u64::from_le_bytes(*amount),
            quoted: u64::from_le_bytes(*quoted),
            slippage_bps: u16::from_le_bytes(slippage),
            fee_bps: u16::from_le_bytes(fee),
            surplus_bps: u16::from_le_bytes(surplus),
        })
    }

    /// The least output that the program lets pass, rounded down.
    pub fn least(&self) -> u64 {
        let kept = ALL_BPS.saturating_sub(self.slippage_bps.into());
        let least = u128::from(self.quoted).saturating_mul(kept) / ALL_BPS;
        u64::try_from(least).unwrap_or(0)
    }

    /// The accounts that the instruction for it begins with.
    pub fn accounts(&self, program: Key) -> [Option<Key>; 10] {
        let none = Some(program);
        [
            self.payer,
            self.source,
            self.destination,
            self.input,
            self.output,
            self.input_program,
            self.output_program,
            none,
            none,
            none,
        ]
    }

    /// The data of the instruction for it, with this plan.
    pub fn data(&self, plan: &[u8]) -> Vec<u8> {
        let mut data = ROUTE.to_vec();
        data.extend(self.amount.to_le_bytes());
        data.extend(self.quoted.to_le_bytes());
        for bps in [self.slippage_bps, self.fee_bps, self.surplus_bps] {
            data.extend(bps.to_le_bytes());
        }
        data.extend(plan);
        data
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PROGRAM: Key = [9; 32];

    fn swap() -> Swap {
        let key = |byte: u8| Some([byte; 32]);
        Swap {
            payer: key(1),
            source: key(2),
            destination: key(3),
            input: key(4),
            output: key(5),
            input_program: key(6),
            output_program: key(7),
            amount: 25,
            quoted: 1_001,
            slippage_bps: 50,
            fee_bps: 0,
            surplus_bps: 0,
        }
    }

    const PLAN: [u8; 4] = [1, 0, 0, 0];

    fn read(accounts: &[Option<Key>], data: &[u8]) -> Result<Swap, Unreadable> {
        Swap::read(&PROGRAM, accounts, data)
    }

    #[test]
    fn a_swap_names_what_is_taken_and_where_the_output_goes() {
        let (mut accounts, data) = (swap().accounts(PROGRAM), swap().data(&PLAN));
        assert_eq!(read(&accounts, &data), Ok(swap()));
        accounts[7] = Some([8; 32]);
        assert_eq!(read(&accounts, &data).unwrap().destination, Some([8; 32]));
    }

    #[test]
    fn an_account_of_a_lookup_table_is_not_read() {
        let (mut accounts, data) = (swap().accounts(PROGRAM), swap().data(&PLAN));
        accounts[3] = None;
        assert_eq!(read(&accounts, &data), Ok(Swap { input: None, ..swap() }));
        accounts[7] = None;
        assert_eq!(
            read(&accounts, &data).unwrap().destination,
            None,
            "it may be another account for the output"
        );
    }

    #[test]
    fn a_swap_through_accounts_of_the_program_is_read_in_its_own_order() {
        let plain = swap().accounts(PROGRAM);
        let own = |byte: u8| Some([byte; 32]);
        let accounts = [
            own(20),
            plain[0],
            plain[1],
            own(21),
            own(22),
            plain[2],
            plain[3],
            plain[4],
            plain[5],
            plain[6],
            plain[8],
            plain[9],
        ];
        let data = [&SHARED_ROUTE[..], &[3], &swap().data(&PLAN)[8..]].concat();
        assert_eq!(read(&accounts, &data), Ok(swap()));
    }

    #[test]
    fn the_least_output_is_rounded_down() {
        assert_eq!(swap().least(), 995);
        assert_eq!(Swap { quoted: u64::MAX, slippage_bps: 0, ..swap() }.least(), u64::MAX);
        assert_eq!(Swap { slippage_bps: 10_001, ..swap() }.least(), 0);
    }

    #[test]
    fn another_instruction_is_refused() {
        let (accounts, data) = (swap().accounts(PROGRAM), swap().data(&[]));
        assert!(read(&accounts, &data[..30]).is_ok());
        assert_eq!(read(&accounts, &data[..29]), Err(Unreadable::Malformed));
        assert_eq!(read(&accounts, &data[..7]), Err(Unreadable::Unknown));
        let mut other = data.clone();
        other[0] ^= 1;
        assert_eq!(read(&accounts, &other), Err(Unreadable::Unknown));
        assert_eq!(read(&accounts[..6], &data), Err(Unreadable::Malformed));
    }

    #[test]
    fn every_byte_of_the_numbers_is_seen() {
        let (accounts, data) = (swap().accounts(PROGRAM), swap().data(&PLAN));
        for at in 0..30 {
            let mut changed = data.clone();
            changed[at] ^= 1;
            assert_ne!(read(&accounts, &changed), Ok(swap()), "{at}");
        }
    }

    proptest! {
        #[test]
        fn any_instruction_is_read_without_panic(
            shared in any::<bool>(), rest in prop::collection::vec(any::<u8>(), 0..60), accounts in 0_usize..14,
        ) {
            let name = if shared { SHARED_ROUTE } else { ROUTE };
            let data = [&name[..], &rest].concat();
            if let Ok(swap) = read(&vec![Some([1; 32]); accounts], &data) {
                prop_assert!(swap.least() <= swap.quoted);
            }
            let _ = read(&vec![None; accounts], &rest);
        }
    }
}
