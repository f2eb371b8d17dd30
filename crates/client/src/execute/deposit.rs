use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::Step;
use super::message::{Transaction, UNREADABLE};
use super::plan::{Plan, SendTransaction, WalletAction};
use crate::{Client, Error, Wallet, WalletError};

/// The proof of the deposit; exactly one field is set.
#[derive(Default)]
pub(super) struct Proof {
    pub(super) tx_hash: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) signed_transaction: Option<String>,
}

impl Client {
    /// Executes the plan with the wallet, in order.
    pub(super) async fn deposit<W: Wallet>(
        &self,
        wallet: &W,
        plan: &Plan,
        on_step: &mut (impl FnMut(Step<'_>) + Send),
    ) -> Result<Proof, Error> {
        let mut proof = Proof::default();
        let mut left = &plan.actions[..];
        while let Some((action, rest)) = left.split_first() {
            self.check_not_aborted()?;
            if let Some(effects) = &plan.effects {
                effects.check(wallet, left).await.map_err(Error::invalid_response)?;
                self.check_not_aborted()?;
            }
            left = rest;
            match action {
                WalletAction::SignSolana(transaction) => {
                    proof.signed_transaction = Some(sign_transaction(wallet, transaction, on_step).await?);
                }
                WalletAction::Send(send) => {
                    let tx_hash = self.send_transaction(wallet, send, on_step).await?;
                    if send.deposit {
                        proof.tx_hash = Some(tx_hash);
                    }
                }
            }
        }
        for data in &plan.permits {
            self.check_not_aborted()?;
            if let Some(first) = &proof.signature {
                check_splits(first)?;
            }
            let signature = wallet.sign_typed_data(data).await?;
            proof.signature = Some(match proof.signature {
                None => signature,
                Some(first) => [first.as_str(), signature.strip_prefix("0x").unwrap_or(&signature)].concat(),
            });
        }
        Ok(proof)
    }

    fn check_not_aborted(&self) -> Result<(), Error> {
        if self.cancel.is_cancelled() { Err(Error::ApiAborted) } else { Ok(()) }
    }

    async fn send_transaction<W: Wallet>(
        &self,
        wallet: &W,
        SendTransaction { transaction, deposit, wait }: &SendTransaction,
        on_step: &mut (impl FnMut(Step<'_>) + Send),
    ) -> Result<String, Error> {
        let deposit = *deposit;
        let tx_hash = wallet.send(transaction).await.inspect_err(|error| {
            // The transaction may still be mined.
            if let WalletError::Unconfirmed { tx_hash, .. } = error {
                on_step(Step::Sent { tx_hash, deposit });
            }
        })?;
        on_step(Step::Sent { tx_hash: &tx_hash, deposit });
        if *wait {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(Error::ApiAborted),
                mined = wallet.wait_for_receipt(transaction.chain_id, &tx_hash) => mined?,
            }
        }
        Ok(tx_hash)
    }
}

/// Two signatures are submitted as one: a token takes 65 bytes and no other form, so that the second begins where those end.
fn check_splits(first: &str) -> Result<(), WalletError> {
    let digits = first.strip_prefix("0x").unwrap_or_default();
    if digits.len() == 130 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(WalletError::Other(
        "The wallet's signature of the permit does not have the 65 bytes that the token takes; deposit by another method."
            .to_owned(),
    ))
}

/// Signs a Solana transaction that was checked before.
async fn sign_transaction<W: Wallet>(
    wallet: &W,
    transaction: &[u8],
    on_step: &mut (impl FnMut(Step<'_>) + Send),
) -> Result<String, Error> {
    let parts = Transaction::read(transaction).ok_or_else(|| Error::invalid_response(UNREADABLE))?;
    let signature = wallet.sign_message(parts.bytes).await?;
    on_step(Step::Signed { tx_hash: &bs58::encode(signature).into_string() });
    let signed = [&[1][..], &signature, parts.bytes].concat();
    Ok(BASE64.encode(signed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_signature_of_65_bytes_is_followed_by_another() {
        assert!(check_splits(&format!("0x{}", "ab".repeat(65))).is_ok());
        for bad in
            ["", "0x", &"ab".repeat(66), &format!("0x{}", "ab".repeat(64)), &format!("0x{}", "zz".repeat(65))]
        {
            let error = check_splits(bad).unwrap_err().to_string();
            assert!(error.contains("65 bytes"), "{error}");
        }
    }
}
