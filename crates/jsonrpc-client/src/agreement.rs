use std::num::NonZeroUsize;

/// Why endpoints do not agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disagreement {
    /// These two endpoints answer differently.
    Contradiction(String, String),
    /// So many gave an answer, and more are needed.
    TooFew(usize),
}

/// The value that at least `quorum` endpoints name and none contradicts, or that a trusted endpoint names and none
/// contradicts. An endpoint without an answer neither agrees nor contradicts.
pub fn agreed<T: PartialEq>(
    quorum: NonZeroUsize,
    answers: impl IntoIterator<Item = (String, bool, Option<T>)>,
) -> Result<T, Disagreement> {
    let mut first: Option<(String, T)> = None;
    let (mut count, mut trusted) = (0_usize, false);
    for (endpoint, is_trusted, answer) in answers {
        let Some(value) = answer else { continue };
        match &first {
            Some((other, known)) if *known != value => {
                return Err(Disagreement::Contradiction(other.clone(), endpoint));
            }
            Some(_) => {}
            None => first = Some((endpoint, value)),
        }
        count += 1;
        trusted |= is_trusted;
    }
    match first {
        Some((_, value)) if trusted || count >= quorum.get() => Ok(value),
        _ => Err(Disagreement::TooFew(count)),
    }
}

/// The value that a trusted endpoint names, or that at least `quorum` endpoints name and more than any other. One that lies
/// can then neither make a value up nor hide one that enough others name.
pub fn prevailing<T: PartialEq>(
    quorum: NonZeroUsize,
    answers: impl IntoIterator<Item = (bool, Option<T>)>,
) -> Option<T> {
    let mut counted: Vec<(T, usize)> = Vec::new();
    for (trusted, answer) in answers {
        let Some(value) = answer else { continue };
        if trusted {
            return Some(value);
        }
        match counted.iter_mut().find(|(known, _)| *known == value) {
            Some((_, count)) => *count += 1,
            None => counted.push((value, 1)),
        }
    }
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let next = counted.get(1).map_or(0, |(_, count)| *count);
    let (value, count) = counted.into_iter().next()?;
    (count >= quorum.get() && count > next).then_some(value)
}

/// The median, and the lower of the middle two where their number is even: of two endpoints, the higher one alone
/// decides nothing. `None` without values.
pub fn median<T: Ord>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable();
    let middle = values.len().checked_sub(1)? / 2;
    values.into_iter().nth(middle)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

    fn named<const N: usize>(answers: [Option<u8>; N]) -> Vec<(String, bool, Option<u8>)> {
        answers.into_iter().enumerate().map(|(n, answer)| (n.to_string(), false, answer)).collect()
    }

    #[test]
    fn rule_27_two_agree_and_none_contradicts() {
        assert_eq!(agreed(TWO, named([Some(1), None, Some(1)])), Ok(1));
        assert_eq!(agreed(TWO, named([Some(1), None])), Err(Disagreement::TooFew(1)));
        assert_eq!(agreed(TWO, named([])), Err(Disagreement::TooFew(0)));
        let contradiction = Disagreement::Contradiction("0".to_owned(), "2".to_owned());
        assert_eq!(agreed(TWO, named([Some(1), Some(1), Some(2)])), Err(contradiction));
    }

    #[test]
    fn rule_27_a_trusted_endpoint_suffices_and_can_be_contradicted() {
        let own = |answer| ("own".to_owned(), true, answer);
        let other = |answer| ("other".to_owned(), false, answer);
        assert_eq!(agreed(TWO, [own(Some(1))]), Ok(1));
        assert_eq!(agreed(TWO, [own(None), other(Some(1))]), Err(Disagreement::TooFew(1)));
        assert!(matches!(agreed(TWO, [own(Some(1)), other(Some(2))]), Err(Disagreement::Contradiction(..))));
    }

    #[test]
    fn rule_27_the_word_of_most_prevails_over_that_of_one() {
        let said = |answers: &[Option<u8>]| prevailing(TWO, answers.iter().map(|answer| (false, *answer)));
        assert_eq!(said(&[Some(9), Some(1), Some(1)]), Some(1));
        assert_eq!(said(&[None, Some(1), Some(1)]), Some(1));
        for unclear in
            [vec![], vec![Some(1)], vec![Some(1), Some(2)], vec![Some(1), Some(1), Some(2), Some(2)]]
        {
            assert_eq!(said(&unclear), None, "{unclear:?}");
        }
        assert_eq!(prevailing(TWO, [(false, Some(2)), (false, Some(2)), (true, Some(1))]), Some(1));
    }

    #[test]
    fn rule_27_the_median_of_two_is_the_lower() {
        assert_eq!(median([u64::MAX, 100]), Some(100));
        assert_eq!(median([0, 100, u64::MAX]), Some(100));
        assert_eq!(median([7]), Some(7));
        assert_eq!(median::<u64>([]), None);
    }

    proptest! {
        #[test]
        fn rule_27_one_liar_among_three_cannot_move_the_median_past_the_honest(
            low in 0u64..1_000, spread in 0u64..50, lie in any::<u64>(),
        ) {
            let middle = median([low, low + spread, lie]).unwrap();
            prop_assert!((low..=low + spread).contains(&middle));
        }
    }
}
