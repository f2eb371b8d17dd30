use std::fmt;
use std::num::NonZeroUsize;

use causeway_domain::SOLANA_CHAIN_ID;
use causeway_domain::ports::ChainError;

use crate::RpcError;

/// What at least `quorum` endpoints say alike. Those that do not answer count for nobody; `None` where two that do differ.
pub(super) fn agreed<T: PartialEq>(
    what: &str,
    quorum: NonZeroUsize,
    answers: impl IntoIterator<Item = Result<T, RpcError>>,
) -> Result<Option<T>, ChainError> {
    let (mut known, mut count, mut faults) = (None, 0_usize, Vec::new());
    for answer in answers {
        match (answer, &known) {
            (Ok(said), Some(before)) if *before != said => return Ok(None),
            (Ok(said), _) => {
                known = Some(said);
                count += 1;
            }
            (Err(error), _) => faults.push(error),
        }
    }
    match known {
        Some(said) if count >= quorum.get() => Ok(Some(said)),
        _ => Err(too_few(what, count, quorum, &faults)),
    }
}

/// The highest number that at least `quorum` endpoints have reached.
pub(super) fn reached(
    what: &str,
    quorum: NonZeroUsize,
    answers: impl IntoIterator<Item = Result<u64, RpcError>>,
) -> Result<u64, ChainError> {
    let (mut numbers, mut faults) = (Vec::new(), Vec::new());
    for answer in answers {
        match answer {
            Ok(number) => numbers.push(number),
            Err(error) => faults.push(error),
        }
    }
    numbers.sort_unstable_by(|one, other| other.cmp(one));
    let reached = numbers.get(quorum.get() - 1).copied();
    reached.ok_or_else(|| too_few(what, numbers.len(), quorum, &faults))
}

fn too_few(what: &str, count: usize, quorum: NonZeroUsize, faults: &[impl fmt::Display]) -> ChainError {
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    tracing::debug!(what, count, quorum, faults = faults.join("; "), "too few endpoints answered");
    ChainError::Unavailable(SOLANA_CHAIN_ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

    fn silent<T>() -> Result<T, RpcError> {
        Err(RpcError::Unavailable("x".to_owned()))
    }

    #[test]
    fn rule_11_two_endpoints_must_say_the_same() {
        let said = |answers: Vec<Result<u8, RpcError>>| agreed("slot", TWO, answers).ok();
        assert_eq!(said(vec![Ok(1), silent(), Ok(1)]), Some(Some(1)));
        assert_eq!(said(vec![Ok(1), Ok(1), Ok(2)]), Some(None));
        assert_eq!(said(vec![Ok(1), silent()]), None);
    }

    #[test]
    fn the_final_slot_is_one_that_two_endpoints_have_reached() {
        let slot = |answers: Vec<Result<u64, RpcError>>| reached("slot", TWO, answers).ok();
        assert_eq!(slot(vec![Ok(9), Ok(5), Ok(7)]), Some(7));
        assert_eq!(slot(vec![Ok(9), silent()]), None);
    }
}
