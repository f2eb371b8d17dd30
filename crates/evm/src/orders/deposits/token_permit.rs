//! Deposits by a token's EIP-2612 permit: the payer signs the permit and the order, and submits both signatures in one.

use alloy_primitives::U256;
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::{
    ContractCall, ContractReader as _, DepositCheckError, DepositError, DepositMismatch, PermitRequest,
};
use causeway_domain::{Address, IntentTerms};

use super::builder::EvmDepositBuilder;
use super::erc6492::deployed_signature;
use super::holdings::holdings;
use super::payment::{Erc20, Payment};
use super::permit::{check_signer, not_this_deposit, read_signature};
use super::typed_data::OrderData;
use crate::contracts::{Escrow, Order, TokenPermit};
use crate::token_permit::TokenPermitData;
use crate::token_signatures::{DomainRead, TokenSignatures};

/// The length of a signature as a token takes it: r, s and v.
const SIGNATURE_BYTES: usize = 65;

/// The permit's signature and the order's, as they were submitted.
fn split(submitted: &[u8]) -> Option<(&[u8; SIGNATURE_BYTES], &[u8])> {
    submitted.split_first_chunk().filter(|(_, order)| !order.is_empty())
}

/// The call that opens an order with both signatures; `None` if there are not two.
pub(in crate::orders) fn open_with_permit(
    terms: &IntentTerms,
    submitted: &[u8],
) -> Option<Escrow::openWithPermitCall> {
    let (permit, order) = split(submitted)?;
    let ([r, s], [v]) = permit.as_chunks::<32>() else { return None };
    let permit = TokenPermit {
        value: terms.amount_in,
        deadline: U256::from(terms.open_deadline),
        v: *v,
        r: r.into(),
        s: s.into(),
    };
    Some(Escrow::openWithPermitCall {
        order: Order::from(terms),
        permit,
        signature: deployed_signature(order),
    })
}

impl EvmDepositBuilder {
    /// What the payer signs. A permit alone is of no use to anybody: the escrow asks for the payer's signature of the order
    /// besides.
    pub(super) async fn token_permit_request(
        &self,
        terms: &IntentTerms,
    ) -> Result<PermitRequest, DepositError> {
        let payment = Payment::read(terms, &self.contracts).map_err(DepositError::WouldFail)?;
        if payment.is_native() {
            return Err(DepositError::NotOffered);
        }
        let tokens = [payment.token];
        let (own, takes) = tokio::try_join!(
            DomainRead::of(&self.client, payment.token, payment.user),
            TokenSignatures::read(&self.client, &tokens),
        )?;
        let own = own.filter(|_| takes.iter().flatten().any(|token| token.permits));
        let permit = own.as_ref().and_then(|own| self.token_permit(own, terms, &payment));
        let permit = permit.ok_or(DepositError::NotOffered)?.json();
        holdings(&self.client, &payment, self.contracts.escrow).await?;
        // There is no signature to simulate yet; the payer's own deposit of these terms would fail for the same reasons.
        self.simulate_with_approval(terms, &payment).await?;
        Ok(PermitRequest { permit, order: Some(OrderData { terms }.json()), before: Vec::new() })
    }

    fn token_permit<'a>(
        &self,
        own: &'a DomainRead,
        terms: &IntentTerms,
        payment: &Payment,
    ) -> Option<TokenPermitData<'a>> {
        Some(TokenPermitData {
            domain: &own.domain,
            chain: self.client.chain_id(),
            token: payment.token,
            owner: payment.user,
            spender: self.contracts.escrow,
            value: payment.amount,
            nonce: own.nonce?,
            deadline: U256::from(terms.open_deadline),
        })
    }

    /// Checks that the payer's key made both signatures. A permit that the token took already, brought by whoever saw it, is as
    /// good: then the allowance is there.
    pub(super) async fn check_token_permit(
        &self,
        terms: &IntentTerms,
        payment: &Payment,
        submitted: &[u8],
    ) -> Result<(), DepositCheckError> {
        let (permit, order) = split(submitted).ok_or_else(two_signatures)?;
        if order.len() != SIGNATURE_BYTES {
            return Err(two_signatures().into());
        }
        check_signer(read_signature(order)?, &OrderData { terms }.digest(), payment.user, "the order")?;
        let own = DomainRead::of(&self.client, payment.token, payment.user).await?;
        let data = own.as_ref().and_then(|own| self.token_permit(own, terms, payment));
        let data = data.ok_or_else(|| not_this_deposit("this token takes no permits here"))?;
        let signed = check_signer(
            read_signature(permit)?,
            &data.digest(),
            payment.user,
            "the token's permit of this amount with its next nonce",
        );
        let Err(wrong) = signed else { return Ok(()) };
        let allowance = Erc20::allowanceCall { owner: payment.user, spender: self.contracts.escrow };
        let allowance = ContractCall { to: Address::Evm(payment.token), data: allowance.abi_encode() };
        let answers = self.client.read(&[allowance]).await?;
        let allowed = answers.first().and_then(|answer| answer.as_deref()?.first_chunk::<32>().copied());
        let is_allowed = allowed.is_some_and(|allowed| U256::from_be_bytes(allowed) >= payment.amount);
        if is_allowed { Ok(()) } else { Err(wrong.into()) }
    }
}

pub(super) fn two_signatures() -> DepositMismatch {
    not_this_deposit(
        "a permit of the token takes two signatures of 65 bytes each, one after the other: that of the permit, then that of \
         the order",
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::facts::tests::terms;
    use super::*;

    #[test]
    fn both_signatures_reach_the_escrow_where_they_belong() {
        let submitted: Vec<u8> = (1..=140).collect();
        let call = open_with_permit(&terms(), &submitted).unwrap();
        let permit = &call.permit;
        assert_eq!((permit.value, permit.deadline), (terms().amount_in, U256::from(terms().open_deadline)));
        assert_eq!(
            (permit.r.as_slice(), permit.s.as_slice(), permit.v),
            (&submitted[..32], &submitted[32..64], 65)
        );
        assert_eq!(call.signature.as_ref(), &submitted[65..]);
        for short in [0, 1, 64, 65] {
            assert_eq!(open_with_permit(&terms(), &submitted[..short]), None, "{short}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_two_signatures_or_none_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let call = open_with_permit(&terms(), &bytes);
            prop_assert_eq!(call.is_some(), bytes.len() > SIGNATURE_BYTES);
        }
    }
}
