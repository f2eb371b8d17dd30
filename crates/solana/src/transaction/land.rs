use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::ports::ChainError;
use serde::Deserialize;
use serde_json::{Value, json};
use solana_signature::Signature;
use thiserror::Error;

use super::error_text::{explain, explain_with_logs};
use super::{Decision, Observation, SignedTransaction, decide};
use crate::RpcError;
use crate::commitment::Commitment;
use crate::rpc::{Call, SolanaRpc};

const PREFLIGHT_FAILED: i64 = -32_002;

/// How a sent transaction ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Landing {
    /// It is final and succeeded.
    Landed { slot: u64 },
    /// It is final and failed; the network fee is spent.
    Failed { slot: u64, reason: String },
    /// It never landed and never will; a new one may be built.
    Expired,
}

/// Why a transaction was not sent.
#[derive(Debug, Error)]
pub enum SendError {
    /// Preflight failed, so no node forwarded it.
    #[error("{0}")]
    WouldFail(String),
    /// Its blockhash has expired, or the nodes do not know it yet.
    #[error("the transaction's blockhash has expired or is not known yet; build it again")]
    UnknownBlockhash,
    #[error(transparent)]
    Chain(#[from] ChainError),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireEpoch {
    absolute_slot: u64,
    block_height: u64,
}

impl SolanaRpc {
    /// Sends a transaction to every endpoint; one that accepts it is enough. With `preflight`, nodes simulate it first
    /// and refuse one that would fail.
    pub async fn send(&self, transaction: &SignedTransaction, preflight: bool) -> Result<(), SendError> {
        let options = json!({
            "encoding": "base64",
            "skipPreflight": !preflight,
            "preflightCommitment": Commitment::Confirmed,
            // `land` and the sender rebroadcast.
            "maxRetries": 0,
        });
        let params = json!([STANDARD.encode(transaction.wire()), options]);
        let answers = self.request_all_endpoints::<String>(Call { method: "sendTransaction", params }).await;
        send_result(&transaction.signature().to_string(), answers)
    }

    /// Resends a transaction until it is final or has expired. Endpoint failures do not stop it. The caller may drop
    /// the future and call again later with the same bytes.
    pub async fn land(&self, transaction: &SignedTransaction) -> Landing {
        let mut absences = 0;
        loop {
            match self.observe(transaction, absences).await {
                Ok(seen) => {
                    let decision = decide(transaction.last_valid_block_height, &seen);
                    absences = seen.absences_after(&decision);
                    match decision {
                        Decision::Landed { slot } => return Landing::Landed { slot },
                        Decision::Failed { slot, reason } => return Landing::Failed { slot, reason },
                        Decision::Expired => return Landing::Expired,
                        Decision::Wait | Decision::CheckAgain => {}
                        Decision::Resend => {
                            if let Err(error) = self.send(transaction, false).await {
                                tracing::debug!(%error, signature = %transaction.signature(), "transaction not sent");
                            }
                        }
                    }
                }
                Err(error) => {
                    absences = 0;
                    tracing::debug!(%error, signature = %transaction.signature(), "transaction status unavailable");
                }
            }
            tokio::time::sleep(self.config().poll_interval).await;
        }
    }

    /// Reads the status of a transaction, for [`decide`].
    pub async fn observe(
        &self,
        transaction: &SignedTransaction,
        absences: u32,
    ) -> Result<Observation, ChainError> {
        let mut seen = self.observe_all(&[(transaction.signature(), absences)]).await?;
        let missing = || {
            RpcError::InvalidResponse(
                "the number of statuses differs from the number of signatures".to_owned(),
            )
        };
        Ok(seen.pop().ok_or_else(missing)?)
    }

    /// The same for several, each with its absences so far.
    pub async fn observe_all(
        &self,
        transactions: &[(Signature, u32)],
    ) -> Result<Vec<Observation>, ChainError> {
        // The height is read first: otherwise a transaction that lands in between could be missed.
        let params = json!([{ "commitment": Commitment::Finalized }]);
        let epoch: WireEpoch = self.call("getEpochInfo", params).await?;
        let signatures: Vec<Signature> = transactions.iter().map(|(signature, _)| *signature).collect();
        let statuses = self.statuses(&signatures).await?;
        let observed =
            statuses.value.into_iter().zip(transactions).map(|(status, (_, absences))| Observation {
                final_height: epoch.block_height,
                final_slot: epoch.absolute_slot,
                status_slot: statuses.slot,
                status,
                absences: *absences,
            });
        Ok(observed.collect())
    }
}

/// One endpoint that accepted the transaction, or has it already, outweighs all others.
fn send_result(signature: &str, answers: Vec<Result<String, RpcError>>) -> Result<(), SendError> {
    let mut worst = RpcError::WrongChain("no endpoint serves it".to_owned());
    for answer in answers {
        match answer {
            Ok(taken) if taken == signature => return Ok(()),
            Ok(_) => worst = RpcError::InvalidResponse("the response names another transaction".to_owned()),
            Err(error) if is_already_processed(&error) => return Ok(()),
            // A refusal is more specific than no answer.
            Err(error) if !matches!(worst, RpcError::Refused { .. }) => worst = error,
            Err(_) => {}
        }
    }
    if preflight_error(&worst).is_some_and(|(err, _)| err == "BlockhashNotFound") {
        return Err(SendError::UnknownBlockhash);
    }
    Err(match preflight_reason(&worst) {
        Some(reason) => SendError::WouldFail(reason),
        None => SendError::Chain(worst.into()),
    })
}

fn preflight_error(error: &RpcError) -> Option<(&Value, &Value)> {
    let RpcError::Refused { code: PREFLIGHT_FAILED, data: Some(data), .. } = error else { return None };
    Some((data.get("err")?, data.get("logs").unwrap_or(&Value::Null)))
}

fn is_already_processed(error: &RpcError) -> bool {
    preflight_error(error).is_some_and(|(err, _)| err == "AlreadyProcessed")
}

fn preflight_reason(error: &RpcError) -> Option<String> {
    match preflight_error(error) {
        Some((err, logs)) => Some(match serde_json::from_value::<Vec<String>>(logs.clone()) {
            Ok(logs) => explain_with_logs(err, &logs),
            Err(_) => explain(err),
        }),
        None => match error {
            RpcError::Refused { code: PREFLIGHT_FAILED, message, .. } => Some(message.clone()),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(err: &Value) -> Result<String, RpcError> {
        let data = Some(Box::new(json!({ "err": err, "logs": ["Program log: Error: nothing there"] })));
        Err(RpcError::Refused { code: PREFLIGHT_FAILED, message: "simulation failed".to_owned(), data })
    }

    fn unavailable() -> Result<String, RpcError> {
        Err(RpcError::Unavailable("x".to_owned()))
    }

    #[test]
    fn one_accepting_endpoint_is_enough() {
        assert!(
            send_result("s", vec![unavailable(), refused(&json!("BlockhashNotFound")), Ok("s".to_owned())])
                .is_ok()
        );
        assert!(send_result("s", vec![refused(&json!("AlreadyProcessed"))]).is_ok());
    }

    #[test]
    fn refusal_outweighs_endpoints_that_do_not_answer() {
        let error =
            send_result("s", vec![refused(&json!("InsufficientFundsForFee")), unavailable()]).unwrap_err();
        assert!(
            matches!(&error, SendError::WouldFail(reason) if reason.contains("not have enough SOL")),
            "{error}"
        );
        assert!(error.to_string().contains("nothing there"));
        assert!(matches!(
            send_result("s", vec![unavailable()]),
            Err(SendError::Chain(ChainError::Unavailable(_)))
        ));
    }

    #[test]
    fn unknown_blockhash_is_distinguished_from_other_failures() {
        let error = send_result("s", vec![refused(&json!("BlockhashNotFound"))]).unwrap_err();
        assert!(matches!(error, SendError::UnknownBlockhash), "{error}");
    }

    #[test]
    fn response_with_another_signature_is_rejected() {
        let error = send_result("s", vec![Ok("t".to_owned())]).unwrap_err();
        assert!(matches!(error, SendError::Chain(ChainError::Nonsense(..))));
    }
}
