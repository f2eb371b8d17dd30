use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::ports::ChainError;
use serde::Deserialize;
use serde_json::{Value, json};
use solana_signature::Signature;
use thiserror::Error;

use super::words::{explain, explain_with_logs};
use super::{Decision, Observation, SignedTransaction, decide};
use crate::RpcError;
use crate::commitment::Commitment;
use crate::rpc::{Call, SolanaRpc};

const PREFLIGHT_FAILED: i64 = -32_002;

/// How a transaction that was sent ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Landing {
    /// It is final and did what it should.
    Landed { slot: u64 },
    /// It is final and failed; the network fee is spent.
    Failed { slot: u64, words: String },
    /// It never landed and never will; a new one may be built.
    Expired,
}

/// Why a transaction did not get out.
#[derive(Debug, Error)]
pub enum SendError {
    /// It would fail, so that nobody sent it on; the words are for a person.
    #[error("{0}")]
    WouldFail(String),
    /// Its blockhash is too old, or too new for the nodes that were asked.
    #[error("the transaction's blockhash has expired or is not known yet; build it anew")]
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
    /// Hands a transaction to every endpoint; one that takes it is enough. With `preflight`, nodes play it first
    /// and say no to one that would fail.
    pub async fn send(&self, transaction: &SignedTransaction, preflight: bool) -> Result<(), SendError> {
        let options = json!({
            "encoding": "base64",
            "skipPreflight": !preflight,
            "preflightCommitment": Commitment::Confirmed,
            // We rebroadcast ourselves, and know when to stop.
            "maxRetries": 0,
        });
        let params = json!([STANDARD.encode(transaction.wire()), options]);
        let answers = self.ask_everyone::<String>(Call { method: "sendTransaction", params }).await;
        judge(&transaction.signature().to_string(), answers)
    }

    /// Sends a transaction again and again until it is final or can no longer become so. It goes on through failures
    /// of the endpoints; who wants to stop earlier drops the future, and may call again later with the same bytes.
    pub async fn land(&self, transaction: &SignedTransaction) -> Landing {
        let mut absences = 0;
        loop {
            match self.observe(transaction, absences).await {
                Ok(seen) => {
                    let decision = decide(transaction.last_valid_block_height, &seen);
                    absences = seen.absences_after(&decision);
                    match decision {
                        Decision::Landed { slot } => return Landing::Landed { slot },
                        Decision::Failed { slot, words } => return Landing::Failed { slot, words },
                        Decision::Expired => return Landing::Expired,
                        Decision::Wait | Decision::LookAgain => {}
                        Decision::SendAgain => {
                            if let Err(error) = self.send(transaction, false).await {
                                tracing::debug!(%error, signature = %transaction.signature(), "not sent this time");
                            }
                        }
                    }
                }
                Err(error) => {
                    absences = 0;
                    tracing::debug!(%error, signature = %transaction.signature(), "cannot be looked up this time");
                }
            }
            tokio::time::sleep(self.config().look_every).await;
        }
    }

    /// Looks up what has become of a transaction, for [`decide`].
    pub async fn observe(
        &self,
        transaction: &SignedTransaction,
        absences: u32,
    ) -> Result<Observation, ChainError> {
        let mut seen = self.observe_all(&[(transaction.signature(), absences)]).await?;
        let missing = || RpcError::Nonsense("not one status for each signature".to_owned());
        Ok(seen.pop().ok_or_else(missing)?)
    }

    /// The same for several, each with its absences so far.
    pub async fn observe_all(
        &self,
        transactions: &[(Signature, u32)],
    ) -> Result<Vec<Observation>, ChainError> {
        // The height comes first: read after the status, it could hide that the transaction landed in between.
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

/// One endpoint that took the transaction, or has it already, outweighs any that did not.
fn judge(signature: &str, answers: Vec<Result<String, RpcError>>) -> Result<(), SendError> {
    let mut worst = RpcError::WrongChain("no endpoint serves it".to_owned());
    for answer in answers {
        match answer {
            Ok(taken) if taken == signature => return Ok(()),
            Ok(_) => worst = RpcError::Nonsense("the signature of another transaction came back".to_owned()),
            Err(error) if is_known_already(&error) => return Ok(()),
            // A refusal says more than silence.
            Err(error) if !matches!(worst, RpcError::Refused { .. }) => worst = error,
            Err(_) => {}
        }
    }
    if preflight_error(&worst).is_some_and(|(err, _)| err == "BlockhashNotFound") {
        return Err(SendError::UnknownBlockhash);
    }
    Err(match preflight_words(&worst) {
        Some(words) => SendError::WouldFail(words),
        None => SendError::Chain(worst.into()),
    })
}

fn preflight_error(error: &RpcError) -> Option<(&Value, &Value)> {
    let RpcError::Refused { code: PREFLIGHT_FAILED, data: Some(data), .. } = error else { return None };
    Some((data.get("err")?, data.get("logs").unwrap_or(&Value::Null)))
}

fn is_known_already(error: &RpcError) -> bool {
    preflight_error(error).is_some_and(|(err, _)| err == "AlreadyProcessed")
}

fn preflight_words(error: &RpcError) -> Option<String> {
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

    fn silent() -> Result<String, RpcError> {
        Err(RpcError::Unavailable("x".to_owned()))
    }

    #[test]
    fn one_endpoint_that_takes_it_is_enough() {
        assert!(judge("s", vec![silent(), refused(&json!("BlockhashNotFound")), Ok("s".to_owned())]).is_ok());
        assert!(judge("s", vec![refused(&json!("AlreadyProcessed"))]).is_ok());
    }

    #[test]
    fn a_refusal_is_told_in_words_even_when_others_are_silent() {
        let error = judge("s", vec![refused(&json!("InsufficientFundsForFee")), silent()]).unwrap_err();
        assert!(
            matches!(&error, SendError::WouldFail(words) if words.contains("not have enough SOL")),
            "{error}"
        );
        assert!(error.to_string().contains("nothing there"));
        assert!(matches!(judge("s", vec![silent()]), Err(SendError::Chain(ChainError::Unavailable(_)))));
    }

    #[test]
    fn a_blockhash_that_nobody_knows_is_told_from_other_failures() {
        let error = judge("s", vec![refused(&json!("BlockhashNotFound"))]).unwrap_err();
        assert!(matches!(error, SendError::UnknownBlockhash), "{error}");
    }

    #[test]
    fn an_endpoint_that_names_another_signature_is_not_believed() {
        let error = judge("s", vec![Ok("t".to_owned())]).unwrap_err();
        assert!(matches!(error, SendError::Chain(ChainError::Nonsense(..))));
    }
}
