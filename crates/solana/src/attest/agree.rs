use std::fmt;
use std::num::NonZeroUsize;

use causeway_domain::SOLANA_CHAIN_ID;
use causeway_domain::ports::ChainError;

use crate::RpcError;

/// The value that at least `quorum` endpoints agree on. Failed answers are ignored; `None` if two answers differ.
pub(super) fn agreed<T: PartialEq>(
    what: &str,
    quorum: NonZeroUsize,
    answers: impl IntoIterator<Item = Result<T, RpcError>>,
) -> Result<Option<T>, ChainError> {
    let (mut known, mut count, mut faults) = (None, 0_usize, Vec::new());
    for answer in answers {
        match (answer, &known) {
            (Ok(value), Some(before)) if *before != value => return Ok(None),
            (Ok(value), _) => {
                known = Some(value);
                count += 1;
            }
            (Err(error), _) => faults.push(error),
        }
    }
    match known {
        Some(value) if count >= quorum.get() => Ok(Some(value)),
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
    tracing::debug!(what, count, quorum, faults = faults.join("; "), "quorum not reached");
    ChainError::Unavailable(SOLANA_CHAIN_ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

    fn unavailable<T>() -> Result<T, RpcError> {
        Err(RpcError::Unavailable("x".to_owned()))
    }

    #[test]
    fn rule_11_a_quorum_of_endpoints_must_agree() {
        let value = |answers: Vec<Result<u8, RpcError>>| agreed("slot", TWO, answers).ok();
        assert_eq!(value(vec![Ok(1), unavailable(), Ok(1)]), Some(Some(1)));
        assert_eq!(value(vec![Ok(1), Ok(1), Ok(2)]), Some(None));
        assert_eq!(value(vec![Ok(1), unavailable()]), None);
    }

    #[test]
    fn the_final_slot_is_one_that_two_endpoints_have_reached() {
        let slot = |answers: Vec<Result<u64, RpcError>>| reached("slot", TWO, answers).ok();
        assert_eq!(slot(vec![Ok(9), Ok(5), Ok(7)]), Some(7));
        assert_eq!(slot(vec![Ok(9), unavailable()]), None);
    }
}
