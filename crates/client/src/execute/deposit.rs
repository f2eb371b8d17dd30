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
        for action in &plan.actions {
            self.check_not_aborted()?;
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
        if let Some(permit) = &plan.permit {
            self.check_not_aborted()?;
            proof.signature = Some(wallet.sign_typed_data(permit).await?);
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
