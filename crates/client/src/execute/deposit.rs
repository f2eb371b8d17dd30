use alloy_primitives::{Address, Bytes, U64, U256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use causeway_wire::{Approval, BuildAnswer, WalletRequest};
use serde::Deserialize;

use super::Step;
use super::message::{Transaction, UNREADABLE};
use crate::{Client, Error, EvmTransaction, Wallet};

/// What shows that the deposit was made; exactly one of them.
pub(super) struct Proof {
    pub(super) tx_hash: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) signed_transaction: Option<String>,
}

/// The transaction object of `eth_sendTransaction`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Params {
    pub(super) from: Address,
    to: Address,
    data: Bytes,
    #[serde(default)]
    value: U256,
    chain_id: U64,
    gas: Option<U64>,
}

impl Params {
    fn transaction(self) -> EvmTransaction {
        EvmTransaction {
            chain_id: self.chain_id.to(),
            to: self.to,
            data: self.data,
            value: self.value,
            gas: self.gas.map(|gas| gas.to()),
        }
    }
}

/// What one approval asks of the wallet; `None` where nothing is to be signed.
pub(super) fn read_request(request: &WalletRequest) -> Result<Option<(Address, EvmTransaction)>, String> {
    match request.method.as_str() {
        // Each transaction names its chain itself.
        "wallet_switchEthereumChain" => Ok(None),
        "eth_sendTransaction" => {
            let params = request.params.first().ok_or("A transaction to be sent is missing.")?;
            let params = Params::deserialize(params).map_err(|error| {
                format!("A transaction to be sent is not what the contract says: {error}.")
            })?;
            Ok(Some((params.from, params.transaction())))
        }
        other => Err(format!("The deposit asks the wallet for {other}, which no swap needs.")),
    }
}

pub(super) fn approvals(built: &BuildAnswer) -> &[Approval] {
    match built {
        BuildAnswer::ContractCall(call) => &call.approvals,
        BuildAnswer::Permit2(permit) => &permit.approvals,
        BuildAnswer::Transfer(_) => &[],
    }
}

impl Client {
    /// Does what the deposit asks of the wallet, in order.
    pub(super) async fn deposit<W: Wallet>(
        &self,
        wallet: &W,
        built: &BuildAnswer,
        on_step: &mut (impl FnMut(Step<'_>) + Send),
    ) -> Result<Proof, Error> {
        let mut proof = Proof { tx_hash: None, signature: None, signed_transaction: None };
        for approval in approvals(built) {
            let approval = match approval {
                Approval::Eip1193(approval) => approval,
                Approval::Solana(approval) => {
                    let signed = self.sign_transaction(wallet, &approval.transaction, on_step).await?;
                    proof.signed_transaction = Some(signed);
                    continue;
                }
            };
            let Some((_, transaction)) = read_request(&approval.request).map_err(Error::unlike)? else {
                continue;
            };
            if self.cancel.is_cancelled() {
                return Err(Error::ApiAborted);
            }
            let tx_hash = wallet.send(&transaction).await?;
            let deposit = approval.deposit == Some(true);
            on_step(Step::Sent { tx_hash: &tx_hash, deposit });
            if approval.wait_for_receipt == Some(true) {
                tokio::select! {
                    biased;
                    () = self.cancel.cancelled() => return Err(Error::ApiAborted),
                    mined = wallet.wait_for_receipt(transaction.chain_id, &tx_hash) => mined?,
                }
            }
            if deposit {
                proof.tx_hash = Some(tx_hash);
            }
        }
        if let BuildAnswer::Permit2(permit) = built {
            if self.cancel.is_cancelled() {
                return Err(Error::ApiAborted);
            }
            proof.signature = Some(wallet.sign_typed_data(&permit.permit).await?);
        }
        Ok(proof)
    }

    /// Puts the wallet's signature into a transaction for Solana; it was checked before.
    async fn sign_transaction<W: Wallet>(
        &self,
        wallet: &W,
        transaction: &str,
        on_step: &mut (impl FnMut(Step<'_>) + Send),
    ) -> Result<String, Error> {
        if self.cancel.is_cancelled() {
            return Err(Error::ApiAborted);
        }
        let bytes = BASE64.decode(transaction).map_err(|error| Error::unlike(error.to_string()))?;
        let parts = Transaction::read(&bytes).ok_or_else(|| Error::unlike(UNREADABLE))?;
        let signature = wallet.sign_message(parts.bytes).await?;
        on_step(Step::Signed { tx_hash: &bs58::encode(signature).into_string() });
        let signed = [&[1][..], &signature, parts.bytes].concat();
        Ok(BASE64.encode(signed))
    }
}
