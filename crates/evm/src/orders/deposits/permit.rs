use alloy_primitives::{Address, B256, Bytes, Signature, U256};
use alloy_sol_types::SolCall as _;
use causeway_domain::IntentTerms;
use causeway_domain::ports::{
    ChainError, DepositCheckError, DepositError, DepositMismatch, PermitKind, PermitRequest,
};

use super::actions::check_gas;
use super::approvals::approvals;
use super::builder::EvmDepositBuilder;
use super::erc6492::{deployed_signature, inner_signature};
use super::holdings::holdings;
use super::payment::Payment;
use super::rejection::{Cause, Rejection};
use super::token_permit::{open_with_permit, two_signatures};
use super::typed_data::{AuthorizationData, PermitData};
use crate::contracts::{Escrow, Order, gasless_envelope};
use crate::error::CallError;
use crate::gas_ceiling::{GasLimits, OPEN_FOR};
use crate::send::TxRequest;
use crate::simulate::Simulation;
use crate::token_domain::TokenDomain;
use crate::token_signatures::DomainRead;

impl EvmDepositBuilder {
    pub(super) async fn permit_request(&self, terms: &IntentTerms) -> Result<PermitRequest, DepositError> {
        let payment = Payment::read(terms, &self.contracts).map_err(DepositError::WouldFail)?;
        let permit2 = self.contracts.permit2.filter(|_| !payment.is_native());
        let permit2 = permit2.ok_or(DepositError::NotOffered)?;
        let holdings = holdings(&self.client, &payment, permit2).await?;
        let mut before = approvals(&self.client, &payment, permit2, holdings.allowance).await?;
        // There is no signature to simulate yet; the payer's own deposit of these terms would fail for the same reasons.
        self.simulate_with_approval(terms, &payment).await?;
        if !before.is_empty() {
            check_gas(&self.client, payment.user, &before, holdings.coins).await?;
            before = self.with_chain_switch(before);
        }
        Ok(PermitRequest { permit: PermitData { permit2, terms }.json(), order: None, before })
    }

    pub(super) async fn authorization_request(
        &self,
        terms: &IntentTerms,
    ) -> Result<PermitRequest, DepositError> {
        let payment = Payment::read(terms, &self.contracts).map_err(DepositError::WouldFail)?;
        let domain = self.token_domain(&payment).await?.ok_or(DepositError::NotOffered)?;
        holdings(&self.client, &payment, self.contracts.escrow).await?;
        // There is no signature to simulate yet; the payer's own deposit of these terms would fail for the same reasons.
        self.simulate_with_approval(terms, &payment).await?;
        let chain = self.client.chain_id();
        let permit = AuthorizationData { domain: &domain, chain, terms }.json();
        Ok(PermitRequest { permit, order: None, before: Vec::new() })
    }

    /// The domain of the token's authorizations, as the chain has it now.
    async fn token_domain(&self, payment: &Payment) -> Result<Option<TokenDomain>, ChainError> {
        if payment.is_native() {
            return Ok(None);
        }
        let read = DomainRead::of(&self.client, payment.token, payment.user).await?;
        Ok(read.filter(|read| read.authorizations).map(|read| read.domain))
    }

    /// Checks that the payer's key signed this permit.
    async fn check_payer_signed(
        &self,
        kind: PermitKind,
        terms: &IntentTerms,
        payment: &Payment,
        permit: &[u8],
    ) -> Result<(), DepositCheckError> {
        let not_taken = || not_this_deposit("permits of this kind are not taken for this token here");
        let digest = match kind {
            PermitKind::Permit2 => {
                let permit2 = self.contracts.permit2.filter(|_| !payment.is_native());
                PermitData { permit2: permit2.ok_or_else(not_taken)?, terms }.digest()
            }
            PermitKind::Authorization => {
                let domain = self.token_domain(payment).await?.ok_or_else(not_taken)?;
                AuthorizationData { domain: &domain, chain: self.client.chain_id(), terms }.digest()
            }
            PermitKind::TokenPermit => return self.check_token_permit(terms, payment, permit).await,
        };
        let signature = read_signature(permit)?;
        if kind == PermitKind::Authorization && permit.len() != 65 {
            return Err(not_this_deposit("an authorization takes the signature of 65 bytes").into());
        }
        Ok(check_signer(signature, &digest, payment.user, "this order")?)
    }

    pub(super) async fn verify_permit(
        &self,
        kind: PermitKind,
        terms: &IntentTerms,
        permit: &[u8],
    ) -> Result<(), DepositCheckError> {
        let payment = Payment::read(terms, &self.contracts).map_err(DepositMismatch)?;
        let code = self.client.code(payment.user).await.map_err(ChainError::from)?;
        if code.is_empty() && inner_signature(permit).is_some() {
            return Err(DepositMismatch(format!(
                "the wallet {} is not deployed yet: deploy it with any transaction, then submit this signature again",
                payment.user
            ))
            .into());
        }
        // A contract verifies its signatures itself, which the simulation below shows.
        if code.is_empty() {
            self.check_payer_signed(kind, terms, &payment, permit).await?;
        }
        let open = match kind {
            PermitKind::Permit2 => open_for(terms, permit)
                .ok_or_else(|| not_this_deposit("the order's deadlines are out of range"))?,
            PermitKind::Authorization => open_with_authorization(terms, permit),
            PermitKind::TokenPermit => {
                let call = open_with_permit(terms, permit).ok_or_else(two_signatures)?;
                call.abi_encode().into()
            }
        };
        let open = TxRequest { to: self.contracts.escrow, value: U256::ZERO, data: open };
        match self.client.simulate(self.relayer, &open).await.map_err(ChainError::from)? {
            Simulation::Passes(_) => self.check_open_gas(&open).await,
            Simulation::Fails { reason, data } => {
                let rejection = Rejection::read(reason, data.as_ref());
                if rejection.cause == Cause::Epoch {
                    self.forget_epoch();
                }
                if rejection.cause == Cause::Transfer && kind == PermitKind::TokenPermit {
                    return Err(not_this_deposit(
                        "the token took neither the permit nor the transfer: the permit may be for another amount or nonce or \
                         by another key, or the token is paused or blocks the payer",
                    )
                    .into());
                }
                Err(DepositMismatch(rejection.reason).into())
            }
        }
    }
}

impl EvmDepositBuilder {
    /// A payer that is a contract verifies its signature at our cost: it may take what any permit takes, and no more (rule 25).
    async fn check_open_gas(&self, open: &TxRequest) -> Result<(), DepositCheckError> {
        let ceiling = GasLimits::up_to(OPEN_FOR).ceiling(self.client.config().fees.gas_factor);
        let needed = match self.client.agreed_gas(self.relayer, open, ceiling).await {
            Ok(needed) if needed <= ceiling => return Ok(()),
            Ok(needed) => format!("{needed} gas"),
            // The call itself passed: what is refused is the gas of its transaction.
            Err(CallError::Refused { .. }) => "more gas than a transaction may have".to_owned(),
            Err(error) => return Err(ChainError::from(error).into()),
        };
        Err(DepositMismatch(format!(
            "opening the order with this signature takes {needed}, more than the {ceiling} that we pay for; \
             send the deposit from the wallet instead"
        ))
        .into())
    }
}

fn open_for(terms: &IntentTerms, permit: &[u8]) -> Option<Bytes> {
    let order = gasless_envelope(terms)?;
    let signature = deployed_signature(permit);
    Some(Escrow::openForCall { order, signature, originFillerData: Bytes::new() }.abi_encode().into())
}

fn open_with_authorization(terms: &IntentTerms, signature: &[u8]) -> Bytes {
    let signature = deployed_signature(signature);
    Escrow::openWithAuthorizationCall { order: Order::from(terms), signature }.abi_encode().into()
}

pub(super) fn not_this_deposit(reason: &str) -> DepositMismatch {
    DepositMismatch(reason.to_owned())
}

/// Checks that the payer's key signed this digest, which is of `what`.
pub(super) fn check_signer(
    signature: Signature,
    digest: &B256,
    user: Address,
    what: &str,
) -> Result<(), DepositMismatch> {
    let signer = signature.recover_address_from_prehash(digest);
    let signer = signer.map_err(|_| not_this_deposit("no key can produce this signature"))?;
    if signer == user {
        return Ok(());
    }
    Err(DepositMismatch(format!(
        "the signature is not the payer's over {what}: it belongs to {signer} instead of {user}, so another key signed, \
         or another order was signed"
    )))
}

/// Parses a signature of 65 bytes, or 64 by EIP-2098. A high `s`, which Permit2 accepts as well, is rejected, so that a
/// permit has one encoding.
pub(crate) fn read_signature(bytes: &[u8]) -> Result<Signature, DepositMismatch> {
    let signature = match bytes {
        [.., 27 | 28] if bytes.len() == 65 => Signature::from_raw(bytes).ok(),
        _ if bytes.len() == 65 => {
            return Err(not_this_deposit("the last byte of a signature of 65 bytes must be 27 or 28"));
        }
        _ if bytes.len() == 64 => Some(Signature::from_erc2098(bytes)),
        _ => {
            let reason =
                format!("a signature has 65 bytes, or 64 in its short form, and not {}", bytes.len());
            return Err(DepositMismatch(reason));
        }
    };
    let signature = signature.ok_or_else(|| not_this_deposit("this is not a signature"))?;
    if signature.normalize_s().is_some() {
        return Err(not_this_deposit(
            "the signature is the mirror image of a proper one: its s is above half of the curve's order",
        ));
    }
    Ok(signature)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::send::Signer;

    #[test]
    fn both_signature_forms_are_accepted_and_a_high_s_is_rejected() {
        let signer = Signer::from_bytes(&[7; 32]).unwrap();
        for byte in 0..20 {
            let made = signer.sign_digest(&[byte; 32].into()).unwrap();
            assert_eq!(read_signature(&made.as_bytes()).unwrap(), made);
            assert_eq!(read_signature(&made.as_erc2098()).unwrap(), made);
            let order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
            let order = U256::from_str_radix(order, 16).unwrap();
            let mirror = Signature::new(made.r(), order - made.s(), !made.v());
            assert!(read_signature(&mirror.as_bytes()).unwrap_err().0.contains("mirror"));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..70)) {
            let _ = read_signature(&bytes);
        }

        #[test]
        fn bytes_of_the_right_length_are_read_or_refused_without_panic(bytes in any::<[[u8; 32]; 2]>(), last in any::<u8>()) {
            let bytes = bytes.concat();
            if let Ok(signature) = read_signature(&bytes) {
                let _ = signature.recover_address_from_prehash(&[1; 32].into());
            }
            let _ = read_signature(&[bytes, vec![last]].concat());
        }
    }
}
