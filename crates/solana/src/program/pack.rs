use causeway_domain::Terms;
use solana_address::Address;
use solana_instruction::AccountMeta;

const OWN_ADDRESS: u8 = 33;
const ACCOUNT: u8 = 64;
/// The program looks no further than this many accounts.
const MOST_ACCOUNTS: usize = 16;

/// Terms as an instruction carries them: each word without its leading zeros after a byte that tells its length, or one byte
/// that names an address which the transaction carries anyway. The program puts the words together again and hashes them.
pub(super) fn pack(terms: &Terms, program: &Address, accounts: &[AccountMeta]) -> Vec<u8> {
    let mut packed = Vec::new();
    for word in terms.words() {
        let named = accounts
            .iter()
            .take(MOST_ACCOUNTS)
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
