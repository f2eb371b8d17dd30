use alloy_primitives::{B256, U256};
use causeway_domain::{Jump, SignatureBytes, Terms};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use super::address::{SYSTEM, address};
use super::pack::{pack, unpack_words};
use super::{EscrowProgram, Holding, TokenSource};

pub(super) const JUMP: u8 = 14;
const GIVE_BACK_JUMP: u8 = 15;
const SIGNATURE: usize = 65;
/// How many of an order's words its jump leaves open.
const LEFT_OPEN: usize = 12;

impl EscrowProgram {
    /// Where the money of a jump is sent: SOL to the address, tokens to its associated account.
    pub fn jump_address(&self, jump: &Jump) -> Address {
        self.deposit(jump.id())
    }

    /// Opens an order of the jump with what came to its address, by the maker's word; `payer` signs and pays the rent. Only
    /// what the jump leaves open travels along, so terms that differ in anything else name an order that the program refuses.
    pub fn jump(
        &self,
        jump: &Jump,
        terms: &Terms,
        payer: Address,
        source: Option<TokenSource>,
        signature: &SignatureBytes,
    ) -> Instruction {
        let deposit = AccountMeta::new(self.jump_address(jump), false);
        let mut accounts = self.opening(terms, payer, deposit);
        accounts.push(AccountMeta::new(address(jump.refund_to), false));
        self.deposited(terms, source, &mut accounts);
        let packed = |words| pack(words, &self.id, &accounts);
        let data =
            [&[JUMP][..], signature.as_slice(), &packed(&jump.words()), &packed(&left_open(terms))].concat();
        Instruction { program_id: self.id, accounts, data }
    }

    /// The jump of a [`Self::jump`] and the terms of the order that it opened; `data` is what follows the instruction's number.
    pub(super) fn jumped(&self, accounts: &[Address], data: &[u8]) -> Option<(Jump, Terms)> {
        let (_, packed) = data.split_first_chunk::<SIGNATURE>()?;
        let (words, packed) = unpack_words(packed, Jump::WORDS, &self.id, accounts)?;
        let jump = Jump::from_bytes(&words.concat())?;
        let (words, rest) = unpack_words(packed, LEFT_OPEN, &self.id, accounts)?;
        let terms = order_of(&jump, &self.jump_address(&jump), &words)?;
        rest.is_empty().then_some((jump, terms))
    }

    /// Sends what lies at a jump's address to its refund address: a token, or without one all SOL. The awaited currency goes
    /// past the jump's expiry, and before it by the maker's word.
    pub fn give_back_jump(
        &self,
        jump: &Jump,
        holding: Option<Holding>,
        signature: Option<&SignatureBytes>,
    ) -> Instruction {
        let refund_to = address(jump.refund_to);
        let mut accounts = vec![
            AccountMeta::new(self.jump_address(jump), false),
            AccountMeta::new(refund_to, false),
            AccountMeta::new_readonly(SYSTEM, false),
        ];
        accounts.extend(holding.iter().flat_map(|holding| holding.accounts(&refund_to)));
        let close = u8::from(holding.is_some_and(|holding| holding.close));
        let signature = signature.map(SignatureBytes::as_slice).unwrap_or_default();
        let mut data = vec![GIVE_BACK_JUMP, close];
        data.extend(u8::try_from(signature.len()));
        data.extend(signature);
        data.extend(pack(&jump.words(), &self.id, &accounts));
        Instruction { program_id: self.id, accounts, data }
    }
}

/// The words of an order that its jump leaves open, as the instruction carries them.
fn left_open(terms: &Terms) -> [B256; LEFT_OPEN] {
    let number = |value: u64| U256::from(value).into();
    [
        terms.nonce,
        terms.amount_in.into(),
        terms.filler,
        terms.payee,
        terms.referrer,
        terms.referrer_fee.into(),
        terms.settler,
        terms.amount_out.into(),
        number(terms.open_deadline),
        number(terms.fill_deadline),
        number(terms.refund_at),
        number(terms.epoch),
    ]
}

/// The order that a jump and the words which it leaves open make.
fn order_of(jump: &Jump, from: &Address, left_open: &[B256]) -> Option<Terms> {
    let &[nonce, amount_in, filler, payee, referrer, fee, settler, amount_out, open, fill, refund, epoch] =
        left_open
    else {
        return None;
    };
    let number = |word: B256| u64::try_from(U256::from_be_bytes(word.0)).ok();
    Some(Terms {
        origin_chain_id: jump.origin_chain_id,
        escrow: jump.escrow,
        user: from.to_bytes().into(),
        nonce,
        input_token: jump.input_token,
        amount_in: amount_in.into(),
        refund_to: jump.refund_to,
        filler,
        payee,
        referrer,
        referrer_fee: fee.into(),
        destination_chain_id: jump.destination_chain_id,
        settler,
        output_token: jump.output_token,
        amount_out: amount_out.into(),
        recipient: jump.recipient,
        open_deadline: number(open)?,
        fill_deadline: number(fill)?,
        refund_at: number(refund)?,
        epoch: number(epoch)?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::SANDBOX_PROGRAM;
    use super::*;

    const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

    proptest! {
        #[test]
        fn what_a_jump_opened_reads_back(words in prop::collection::vec(any::<[u8; 32]>(), 9), number in any::<u64>()) {
            let word = |place: usize| B256::from(words[place]);
            let jump = Jump {
                origin_chain_id: number,
                escrow: PROGRAM.id.to_bytes().into(),
                nonce: word(0),
                maker: word(1),
                input_token: B256::ZERO,
                refund_to: word(2),
                destination_chain_id: 8_453,
                output_token: word(3),
                recipient: word(4),
                rate_in: word(5).into(),
                rate_out: word(6).into(),
                expiry: number,
            };
            let words = [word(7), word(8), word(2), B256::ZERO, word(1), word(0), word(4), word(5)];
            let numbers = [number, 1, 2, 3].map(|number| U256::from(number).into());
            let terms = order_of(&jump, &PROGRAM.jump_address(&jump), &[&words[..], &numbers].concat()).unwrap();
            let any_rate = Jump { rate_in: U256::ONE, rate_out: U256::ZERO, ..jump };
            prop_assert!(any_rate.matches(&terms));
            let payer = Address::new_from_array([7; 32]);
            let instruction = PROGRAM.jump(&jump, &terms, payer, None, &SignatureBytes::ZERO);
            let accounts: Vec<Address> = instruction.accounts.iter().map(|meta| meta.pubkey).collect();
            prop_assert_eq!(PROGRAM.jumped(&accounts, &instruction.data[1..]), Some((jump, terms)));
            let cut = &instruction.data[1..instruction.data.len() - 1];
            prop_assert_eq!(PROGRAM.jumped(&accounts, cut), None);
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(data in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = PROGRAM.jumped(&[], &data);
        }
    }
}
