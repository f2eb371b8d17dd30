use alloy_primitives::{B256, U256};
use causeway_domain::{IntentTerms, TERMS_VERSION};

use super::TermsBody;

impl From<&IntentTerms> for TermsBody {
    fn from(terms: &IntentTerms) -> Self {
        Self {
            version: TERMS_VERSION.to_string(),
            origin_chain_id: terms.origin_chain_id.to_string(),
            escrow: terms.escrow.to_string(),
            user: terms.user.to_string(),
            nonce: terms.nonce.to_string(),
            input_token: terms.input_token.to_string(),
            amount_in: terms.amount_in.to_string(),
            refund_to: terms.refund_to.to_string(),
            filler: terms.filler.to_string(),
            payee: terms.payee.to_string(),
            referrer: terms.referrer.to_string(),
            referrer_fee: terms.referrer_fee.to_string(),
            destination_chain_id: terms.destination_chain_id.to_string(),
            settler: terms.settler.to_string(),
            output_token: terms.output_token.to_string(),
            amount_out: terms.amount_out.to_string(),
            recipient: terms.recipient.to_string(),
            open_deadline: terms.open_deadline.to_string(),
            fill_deadline: terms.fill_deadline.to_string(),
            refund_at: terms.refund_at.to_string(),
            epoch: terms.epoch.to_string(),
        }
    }
}

impl TermsBody {
    /// The terms as the contracts hash them; `None` if a field is invalid.
    pub fn read(&self) -> Option<IntentTerms> {
        let mut bytes = Vec::with_capacity(IntentTerms::WORDS * 32);
        for text in self.fields() {
            let word: B256 = if text.starts_with("0x") {
                text.parse().ok()?
            } else {
                U256::from_str_radix(text, 10).ok()?.into()
            };
            bytes.extend_from_slice(word.as_slice());
        }
        IntentTerms::from_bytes(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn terms_read_back(words in prop::collection::vec(any::<[u8; 32]>(), IntentTerms::WORDS), numbers in any::<[u32; 6]>()) {
            let mut words: Vec<B256> = words.into_iter().map(B256::from).collect();
            words[0] = B256::from(U256::from(TERMS_VERSION));
            for (place, number) in [1, 12, 17, 18, 19, 20].into_iter().zip(numbers) {
                words[place] = B256::from(U256::from(number));
            }
            let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
            prop_assert_eq!(TermsBody::from(&terms).read(), Some(terms));
        }

        #[test]
        fn arbitrary_text_never_panics(text in ".{0,80}") {
            let words = [B256::from(U256::from(TERMS_VERSION)); IntentTerms::WORDS];
            let mut body = TermsBody::from(&IntentTerms::from_bytes(&words.concat()).unwrap());
            body.amount_in = text;
            let _ = body.read();
        }
    }
}
