use alloy_primitives::{B256, U256};
use causeway_domain::{ForwardingOrder, IntentTerms, SignatureBytes};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};

use super::address::{SYSTEM, address};
use super::pack::{pack, unpack_words};
use super::{EscrowProgram, Holding, TokenSource};

pub(super) const JUMP: u8 = 14;
const GIVE_BACK_JUMP: u8 = 15;
const SIGNATURE_BYTES: usize = 65;
/// The number of terms that a forwarding order leaves open.
const OPEN_WORDS: usize = 12;

impl EscrowProgram {
    /// The address of a forwarding order: SOL goes to the address, tokens to its associated account.
    pub fn jump_address(&self, jump: &ForwardingOrder) -> Address {
        self.deposit(jump.id())
    }

    /// Opens an order of the forwarding order from its address, with the maker's signature; `payer` signs and pays
    /// the rent. The instruction contains only the terms left open, so the program refuses terms that differ in
    /// anything else.
    pub fn jump(
        &self,
        jump: &ForwardingOrder,
        terms: &IntentTerms,
        payer: Address,
        source: Option<TokenSource>,
        signature: &SignatureBytes,
    ) -> Instruction {
        let deposit = AccountMeta::new(self.jump_address(jump), false);
        let mut accounts = self.opening_accounts(terms, payer, deposit);
        accounts.push(AccountMeta::new(address(jump.refund_to), false));
        self.push_deposit_accounts(terms, source, &mut accounts);
        let packed = |words| pack(words, &self.id, &accounts);
        let data =
            [&[JUMP][..], signature.as_slice(), &packed(&jump.words()), &packed(&open_words(terms))].concat();
        Instruction { program_id: self.id, accounts, data }
    }

    /// The forwarding order of a [`Self::jump`] and the terms of the opened order; `data` follows the instruction's
    /// tag.
    pub(super) fn parse_jump(
        &self,
        accounts: &[Address],
        data: &[u8],
    ) -> Option<(ForwardingOrder, IntentTerms)> {
        let (_, packed) = data.split_first_chunk::<SIGNATURE_BYTES>()?;
        let (words, packed) = unpack_words(packed, ForwardingOrder::WORDS, &self.id, accounts)?;
        let jump = ForwardingOrder::from_bytes(&words.concat())?;
        let (words, rest) = unpack_words(packed, OPEN_WORDS, &self.id, accounts)?;
        let terms = terms_from(&jump, &self.jump_address(&jump), &words)?;
        rest.is_empty().then_some((jump, terms))
    }

    /// Returns a token of a forwarding address, or all its SOL, to the refund address. Before the expiry, the awaited
    /// currency needs the maker's signature.
    pub fn give_back_jump(
        &self,
        jump: &ForwardingOrder,
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

/// The terms that a forwarding order leaves open, as words of the instruction.
fn open_words(terms: &IntentTerms) -> [B256; OPEN_WORDS] {
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

/// The terms that a forwarding order and its open words form.
fn terms_from(jump: &ForwardingOrder, from: &Address, open_words: &[B256]) -> Option<IntentTerms> {
    let &[nonce, amount_in, filler, payee, referrer, fee, settler, amount_out, open, fill, refund, epoch] =
        open_words
    else {
        return None;
    };
    let number = |word: B256| u64::try_from(U256::from_be_bytes(word.0)).ok();
    Some(IntentTerms {
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
        fn forwarding_instruction_round_trips(words in prop::collection::vec(any::<[u8; 32]>(), 9), number in any::<u64>()) {
            let word = |place: usize| B256::from(words[place]);
            let jump = ForwardingOrder {
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
            let terms = terms_from(&jump, &PROGRAM.jump_address(&jump), &[&words[..], &numbers].concat()).unwrap();
            let any_rate = ForwardingOrder { rate_in: U256::ONE, rate_out: U256::ZERO, ..jump };
            prop_assert!(any_rate.matches(&terms));
            let payer = Address::new_from_array([7; 32]);
            let instruction = PROGRAM.jump(&jump, &terms, payer, None, &SignatureBytes::ZERO);
            let accounts: Vec<Address> = instruction.accounts.iter().map(|meta| meta.pubkey).collect();
            prop_assert_eq!(PROGRAM.parse_jump(&accounts, &instruction.data[1..]), Some((jump, terms)));
            let cut = &instruction.data[1..instruction.data.len() - 1];
            prop_assert_eq!(PROGRAM.parse_jump(&accounts, cut), None);
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(data in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = PROGRAM.parse_jump(&[], &data);
        }
    }
}
