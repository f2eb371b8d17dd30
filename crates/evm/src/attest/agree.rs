use std::num::NonZeroUsize;

use causeway_domain::ports::FinalBlock;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::blocks::{Block, BlockTag, block_call};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

/// What at least `quorum` endpoints say alike. One that has nothing to say (`testimony` gives `None`) or does not
/// answer counts for nobody; one that says something else is a disagreement, however many agree.
pub(super) async fn agreed<T, U>(
    client: &EvmClient,
    quorum: NonZeroUsize,
    call: &Call,
    testimony: impl Fn(T) -> Option<U>,
) -> Result<U, CallError>
where
    T: DeserializeOwned + Send,
    U: PartialEq,
{
    compare(client, quorum, call, client.each::<T>(call).await, testimony)
}

/// The same of those endpoints alone whose block of that number is `at`: another shows what happened on another fork.
pub(super) async fn agreed_at<T, U>(
    client: &EvmClient,
    quorum: NonZeroUsize,
    call: &Call,
    at: &FinalBlock,
    testimony: impl Fn(T) -> Option<U>,
) -> Result<U, CallError>
where
    T: DeserializeOwned + Send,
    U: PartialEq,
{
    let calls = [block_call(BlockTag::Number(at.number)), call.clone()];
    let mut answers = Vec::new();
    for (host, said) in client.each_of::<Value>(&calls).await {
        let Ok([block, answer]) = <[_; 2]>::try_from(said) else { continue };
        let block: Option<Block> = block.ok().and_then(|block| serde_json::from_value(block).ok());
        if block.is_some_and(|block| block.hash == at.hash) {
            let read =
                |value| serde_json::from_value(value).map_err(|error| client.nonsense(error.to_string()));
            answers.push((host, answer.and_then(read)));
        }
    }
    compare(client, quorum, call, answers, testimony)
}

fn compare<T, U: PartialEq>(
    client: &EvmClient,
    quorum: NonZeroUsize,
    call: &Call,
    answers: Vec<(String, Result<T, CallError>)>,
    testimony: impl Fn(T) -> Option<U>,
) -> Result<U, CallError> {
    let mut known: Option<(String, U)> = None;
    let (mut count, mut faults) = (0_usize, Vec::new());
    for (host, answer) in answers {
        let said = match answer.map(&testimony) {
            Ok(Some(said)) => said,
            Ok(None) => {
                faults.push(format!("{host}: it does not have that yet"));
                continue;
            }
            Err(error) => {
                faults.push(error.to_string());
                continue;
            }
        };
        match &known {
            Some((other, before)) if *before != said => {
                let message =
                    format!("{other} and {host} answer {} {} differently", call.method, call.params);
                return Err(CallError::Disagreement { chain: client.chain_id(), message });
            }
            Some(_) => {}
            None => known = Some((host, said)),
        }
        count += 1;
    }
    match known {
        Some((_, said)) if count >= quorum.get() => Ok(said),
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
