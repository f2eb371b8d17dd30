use alloy_primitives::B256;
use causeway_domain::IntentTerms;
use solana_address::Address;
use solana_instruction::AccountMeta;

const OWN_ADDRESS: u8 = 33;
const ACCOUNT: u8 = 64;
/// The program reads no more accounts than this.
const MAX_ACCOUNTS: usize = 16;

/// Packs words for an instruction: each as a length byte and the bytes without leading zeros, or as one byte that
/// refers to an account of the transaction. The program unpacks and hashes them.
pub(super) fn pack(words: &[B256], program: &Address, accounts: &[AccountMeta]) -> Vec<u8> {
    let mut packed = Vec::new();
    for word in words {
        let named = accounts
            .iter()
            .take(MAX_ACCOUNTS)
            .zip(ACCOUNT..)
            .find(|(meta, _)| meta.pubkey.as_ref() == word.as_slice());
        let significant = word.iter().skip_while(|byte| **byte == 0);
        match (significant.clone().count(), named) {
            (1.., _) if word.as_slice() == program.as_ref() => packed.push(OWN_ADDRESS),
            (1.., Some((_, number))) => packed.push(number),
            (length, _) => {
                packed.extend(u8::try_from(length));
                packed.extend(significant);
            }
        }
    }
    packed
}

/// Unpacks terms; `accounts` are those of the instruction.
pub(super) fn unpack(packed: &[u8], program: &Address, accounts: &[Address]) -> Option<IntentTerms> {
    let (words, rest) = unpack_words(packed, IntentTerms::WORDS, program, accounts)?;
    if rest.is_empty() { IntentTerms::from_bytes(&words.concat()) } else { None }
}

/// Unpacks `count` words, and returns the rest.
pub(super) fn unpack_words<'a>(
    packed: &'a [u8],
    count: usize,
    program: &Address,
    accounts: &[Address],
) -> Option<(Vec<B256>, &'a [u8])> {
    let mut words = Vec::with_capacity(count);
    let mut rest = packed;
    while words.len() < count {
        let (&length, after) = rest.split_first()?;
        rest = after;
        words.push(match length {
            0..=32 => {
                let (given, after) = rest.split_at_checked(usize::from(length))?;
                rest = after;
                B256::left_padding_from(given)
            }
            OWN_ADDRESS => program.to_bytes().into(),
            _ => accounts.get(usize::from(length.checked_sub(ACCOUNT)?))?.to_bytes().into(),
        });
    }
    Some((words, rest))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;
    use proptest::prelude::*;

    use super::*;

    const PROGRAM: Address = Address::new_from_array([9; 32]);

    fn terms(word: [u8; 32], amount: u64, chain: u64) -> IntentTerms {
        let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
        words[0] = B256::with_last_byte(2);
        IntentTerms {
            escrow: PROGRAM.to_bytes().into(),
            user: word.into(),
            recipient: B256::repeat_byte(5),
            amount_in: U256::from(amount),
            destination_chain_id: chain,
            ..IntentTerms::from_bytes(&words.concat()).unwrap()
        }
    }

    proptest! {
        #[test]
        fn packed_terms_round_trip(word in any::<[u8; 32]>(), amount in any::<u64>(), chain in any::<u64>()) {
            let named = Address::new_from_array([5; 32]);
            let metas = [AccountMeta::new(PROGRAM, false), AccountMeta::new(named, false)];
            let packed = pack(&terms(word, amount, chain).words(), &PROGRAM, &metas);
            prop_assert_eq!(unpack(&packed, &PROGRAM, &[PROGRAM, named]), Some(terms(word, amount, chain)));
            prop_assert_eq!(unpack(&packed[..packed.len() - 1], &PROGRAM, &[PROGRAM, named]), None);
            prop_assert_eq!(unpack(&[&packed[..], &[0]].concat(), &PROGRAM, &[PROGRAM, named]), None);
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_panic(packed in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = unpack(&packed, &PROGRAM, &[PROGRAM]);
        }
    }
}
