use causeway_domain::ports::{SolanaAccount, SolanaInstruction};

/// The discriminators of the two instructions that are read: both swap an exact input, the second through token accounts of the
/// program.
const ROUTE: [u8; 8] = [0xbb, 0x64, 0xfa, 0xcc, 0x31, 0xc4, 0xaf, 0x14];
const SHARED_ROUTE: [u8; 8] = [0xd1, 0x98, 0x53, 0x93, 0x7c, 0xfe, 0xd8, 0xe9];

/// What both begin with, in their order: input, quoted output, slippage, the operator's fee, and a fee of a better price.
const NUMBERS: usize = 8 + 8 + 2 + 2 + 2;

const ALL_BPS: u128 = 10_000;

/// A swap of Jupiter's program, as its own instruction says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Swap {
    /// Who signs for the input.
    pub(crate) payer: [u8; 32],
    /// The token accounts that the input leaves and the output enters.
    pub(crate) source: [u8; 32],
    pub(crate) destination: [u8; 32],
    pub(crate) input: [u8; 32],
    pub(crate) output: [u8; 32],
    /// The token programs of input and output.
    pub(crate) input_program: [u8; 32],
    pub(crate) output_program: [u8; 32],
    pub(crate) amount: u64,
    pub(crate) quoted: u64,
    pub(crate) slippage_bps: u16,
    pub(crate) fee_bps: u16,
    pub(crate) surplus_bps: u16,
}

impl Swap {
    /// Reads an instruction; `None` for every other one.
    pub(crate) fn read(instruction: &SolanaInstruction) -> Option<Self> {
        let (name, rest) = instruction.data.split_first_chunk::<8>()?;
        let account = |place: usize| instruction.accounts.get(place).map(|account| account.address);
        let (numbers, places) = match *name {
            ROUTE => (rest, [0, 1, 2, 3, 4, 5, 6]),
            // A number says which of the program's accounts it goes through.
            SHARED_ROUTE => (rest.get(1..)?, [1, 2, 5, 6, 7, 8, 9]),
            _ => return None,
        };
        let [payer, source, destination, input, output, input_program, output_program] = places;
        let mut destination = account(destination)?;
        if *name == ROUTE {
            // Another account for the output, or the program itself for none.
            destination = account(7).filter(|other| *other != instruction.program).unwrap_or(destination);
        }
        let (numbers, _) = numbers.split_first_chunk::<NUMBERS>()?;
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
    pub(crate) fn least(&self) -> u64 {
        let kept = ALL_BPS.saturating_sub(self.slippage_bps.into());
        let least = u128::from(self.quoted).saturating_mul(kept) / ALL_BPS;
        u64::try_from(least).unwrap_or(0)
    }

    /// The instruction for it, with these accounts of exchanges and this plan.
    #[cfg(any(feature = "standin", test))]
    pub(crate) fn instruction(
        &self,
        program: [u8; 32],
        more: &[SolanaAccount],
        plan: &[u8],
    ) -> SolanaInstruction {
        let account = |address: [u8; 32], is_signer: bool, is_writable: bool| SolanaAccount {
            address,
            is_signer,
            is_writable,
        };
        let mut accounts = vec![
            account(self.payer, true, false),
            account(self.source, false, true),
            account(self.destination, false, true),
            account(self.input, false, false),
            account(self.output, false, false),
            account(self.input_program, false, false),
            account(self.output_program, false, false),
            account(program, false, false),
            account(program, false, false),
            account(program, false, false),
        ];
        accounts.extend_from_slice(more);
        let mut data = ROUTE.to_vec();
        data.extend(self.amount.to_le_bytes());
        data.extend(self.quoted.to_le_bytes());
        for bps in [self.slippage_bps, self.fee_bps, self.surplus_bps] {
            data.extend(bps.to_le_bytes());
        }
        data.extend(plan);
        SolanaInstruction { program, accounts, data }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PROGRAM: [u8; 32] = [9; 32];

    fn swap() -> Swap {
        Swap {
            payer: [1; 32],
            source: [2; 32],
            destination: [3; 32],
            input: [4; 32],
            output: [5; 32],
            input_program: [6; 32],
            output_program: [7; 32],
            amount: 25,
            quoted: 1_001,
            slippage_bps: 50,
            fee_bps: 0,
            surplus_bps: 0,
        }
    }

    #[test]
    fn a_swap_names_what_is_taken_and_where_the_output_goes() {
        let instruction = swap().instruction(PROGRAM, &[], &[1, 0, 0, 0]);
        assert_eq!(Swap::read(&instruction), Some(swap()));
        let mut elsewhere = instruction;
        elsewhere.accounts[7].address = [8; 32];
        assert_eq!(Swap::read(&elsewhere).unwrap().destination, [8; 32]);
    }

    #[test]
    fn a_swap_through_accounts_of_the_program_is_read_in_its_own_order() {
        let plain = swap().instruction(PROGRAM, &[], &[1, 0, 0, 0]);
        let of = |place: usize| plain.accounts[place];
        let own = |byte: u8| SolanaAccount { address: [byte; 32], is_signer: false, is_writable: true };
        let accounts =
            vec![own(20), of(0), of(1), own(21), own(22), of(2), of(3), of(4), of(5), of(6), of(8), of(9)];
        let data = [&SHARED_ROUTE[..], &[3], &plain.data[8..]].concat();
        let shared = SolanaInstruction { program: PROGRAM, accounts, data };
        assert_eq!(Swap::read(&shared), Some(swap()));
    }

    #[test]
    fn the_least_output_is_rounded_down() {
        assert_eq!(swap().least(), 995);
        assert_eq!(Swap { quoted: u64::MAX, slippage_bps: 0, ..swap() }.least(), u64::MAX);
        assert_eq!(Swap { slippage_bps: 10_001, ..swap() }.least(), 0);
    }

    #[test]
    fn another_instruction_is_none() {
        let instruction = swap().instruction(PROGRAM, &[], &[]);
        let cut = |length: usize| SolanaInstruction {
            data: instruction.data[..length].to_vec(),
            ..instruction.clone()
        };
        assert!(Swap::read(&cut(30)).is_some());
        assert_eq!(Swap::read(&cut(29)), None);
        assert_eq!(Swap::read(&cut(0)), None);
        let mut other = instruction.clone();
        other.data[0] ^= 1;
        assert_eq!(Swap::read(&other), None);
        let mut few = instruction;
        few.accounts.truncate(6);
        assert_eq!(Swap::read(&few), None);
    }

    proptest! {
        #[test]
        fn any_instruction_is_read_without_panic(
            shared in any::<bool>(), rest in prop::collection::vec(any::<u8>(), 0..60), accounts in 0_usize..14,
        ) {
            let name = if shared { SHARED_ROUTE } else { ROUTE };
            let account = SolanaAccount { address: [1; 32], is_signer: false, is_writable: false };
            let data = [&name[..], &rest].concat();
            if let Some(swap) = Swap::read(&SolanaInstruction { program: PROGRAM, accounts: vec![account; accounts], data }) {
                prop_assert!(swap.least() <= swap.quoted);
            }
        }
    }
}
