use std::num::NonZeroUsize;

use serde::de::DeserializeOwned;

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
    let mut known: Option<(String, U)> = None;
    let (mut count, mut faults) = (0_usize, Vec::new());
    for (host, answer) in client.each::<T>(call).await {
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
