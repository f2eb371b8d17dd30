use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::Step;
use super::message::{Transaction, UNREADABLE};
use super::plan::{Deed, Plan, Sending};
use crate::{Client, Error, Wallet, WalletError};

/// What shows that the deposit was made; exactly one of them.
#[derive(Default)]
pub(super) struct Proof {
    pub(super) tx_hash: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) signed_transaction: Option<String>,
}

impl Client {
    /// Does what the plan asks of the wallet, in order.
    pub(super) async fn deposit<W: Wallet>(
        &self,
        wallet: &W,
        plan: &Plan,
        on_step: &mut (impl FnMut(Step<'_>) + Send),
    ) -> Result<Proof, Error> {
        let mut proof = Proof::default();
        for deed in &plan.deeds {
            self.go_on()?;
            match deed {
                Deed::SignSolana(transaction) => {
                    proof.signed_transaction = Some(sign_transaction(wallet, transaction, on_step).await?);
                }
                Deed::Send(send) => {
                    let tx_hash = self.send_transaction(wallet, send, on_step).await?;
                    if send.deposit {
                        proof.tx_hash = Some(tx_hash);
                    }
                }
            }
        }
        if let Some(permit) = &plan.permit {
            self.go_on()?;
            proof.signature = Some(wallet.sign_typed_data(permit).await?);
        }
        Ok(proof)
    }

    fn go_on(&self) -> Result<(), Error> {
        if self.cancel.is_cancelled() { Err(Error::ApiAborted) } else { Ok(()) }
    }

    async fn send_transaction<W: Wallet>(
        &self,
        wallet: &W,
        Sending { transaction, deposit, wait }: &Sending,
        on_step: &mut (impl FnMut(Step<'_>) + Send),
    ) -> Result<String, Error> {
        let deposit = *deposit;
        let tx_hash = wallet.send(transaction).await.inspect_err(|error| {
            // It may be on its way all the same.
            if let WalletError::Unheard { tx_hash, .. } = error {
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

/// Puts the wallet's signature into a transaction for Solana; it was checked before.
async fn sign_transaction<W: Wallet>(
    wallet: &W,
    transaction: &[u8],
    on_step: &mut (impl FnMut(Step<'_>) + Send),
) -> Result<String, Error> {
    let parts = Transaction::read(transaction).ok_or_else(|| Error::unlike(UNREADABLE))?;
    let signature = wallet.sign_message(parts.bytes).await?;
    on_step(Step::Signed { tx_hash: &bs58::encode(signature).into_string() });
    let signed = [&[1][..], &signature, parts.bytes].concat();
    Ok(BASE64.encode(signed))
}
