use std::num::NonZeroUsize;

use causeway_domain::ports::FinalBlock;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::blocks::{Block, BlockTag, block_call};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

/// The answer of at least `quorum` endpoints. An endpoint without an answer (`extract` returns `None`) does not count.
/// A different answer is a disagreement, however many endpoints agree.
pub(super) async fn agreed<T, U>(
    client: &EvmClient,
    quorum: NonZeroUsize,
    call: &Call,
    extract: impl Fn(T) -> Option<U>,
) -> Result<U, CallError>
where
    T: DeserializeOwned + Send,
    U: PartialEq,
{
    compare(client, quorum, call, client.each::<T>(call).await, extract)
}

/// Like [`agreed`], but only over endpoints whose block of that number is `at`: others are on another fork.
pub(super) async fn agreed_at<T, U>(
    client: &EvmClient,
    quorum: NonZeroUsize,
    call: &Call,
    at: &FinalBlock,
    extract: impl Fn(T) -> Option<U>,
) -> Result<U, CallError>
where
    T: DeserializeOwned + Send,
    U: PartialEq,
{
    let calls = [block_call(BlockTag::Number(at.number)), call.clone()];
    let mut answers = Vec::new();
    for (host, value) in client.each_of::<Value>(&calls).await {
        let Ok([block, answer]) = <[_; 2]>::try_from(value) else { continue };
        let block: Option<Block> = block.ok().and_then(|block| serde_json::from_value(block).ok());
        if block.is_some_and(|block| block.hash == at.hash) {
            let read = |value| {
                serde_json::from_value(value).map_err(|error| client.invalid_response(error.to_string()))
            };
            answers.push((host, answer.and_then(read)));
        }
    }
    compare(client, quorum, call, answers, extract)
}

fn compare<T, U: PartialEq>(
    client: &EvmClient,
    quorum: NonZeroUsize,
    call: &Call,
    answers: Vec<(String, Result<T, CallError>)>,
    extract: impl Fn(T) -> Option<U>,
) -> Result<U, CallError> {
    let mut first: Option<(String, U)> = None;
    let (mut count, mut faults) = (0_usize, Vec::new());
    for (host, answer) in answers {
        let value = match answer.map(&extract) {
            Ok(Some(value)) => value,
            Ok(None) => {
                faults.push(format!("{host}: not available yet"));
                continue;
            }
            Err(error) => {
                faults.push(error.to_string());
                continue;
            }
        };
        match &first {
            Some((other, before)) if *before != value => {
                let message =
                    format!("{other} and {host} answer {} {} differently", call.method, call.params);
                return Err(CallError::Disagreement { chain: client.chain_id(), message });
            }
            Some(_) => {}
            None => first = Some((host, value)),
        }
        count += 1;
    }
    match first {
        Some((_, value)) if count >= quorum.get() => Ok(value),
        _ => {
            let faults = format!(
                "{count} of the {quorum} endpoints that must agree on {} answered: {}",
                call.method,
                faults.join("; ")
            );
            Err(CallError::Unavailable { chain: client.chain_id(), faults })
        }
    }
}
