use std::ops::Range;

/// Splits calls into parts within both limits; a call that is too long by itself still goes out alone.
pub(crate) fn split(encoded: &[Vec<u8>], calls: usize, bytes: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (id, call) in encoded.iter().enumerate() {
        if id > start && (id - start >= calls || size + call.len() >= bytes) {
            parts.push(start..id);
            (start, size) = (id, 0);
        }
        size += call.len() + 1;
    }
    if start < encoded.len() {
        parts.push(start..encoded.len());
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_cover_every_call_once_and_keep_to_the_limits(
            sizes in prop::collection::vec(1usize..50, 0..200), calls in 1usize..30, bytes in 60usize..500,
        ) {
            let encoded: Vec<Vec<u8>> = sizes.iter().map(|size| vec![b'x'; *size]).collect();
            let parts = split(&encoded, calls, bytes);
            let covered: Vec<usize> = parts.iter().cloned().flatten().collect();
            prop_assert_eq!(covered, (0..sizes.len()).collect::<Vec<_>>());
            for part in parts {
                prop_assert!(part.len() <= calls);
                prop_assert!(part.len() == 1 || encoded[part].iter().map(|call| call.len() + 1).sum::<usize>() <= bytes);
            }
        }
    }
}
