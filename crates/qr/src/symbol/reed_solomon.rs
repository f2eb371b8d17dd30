use std::sync::OnceLock;

/// The longest check sequence of any version.
pub(super) const MAX_CHECK: usize = 30;

/// Division by one generator polynomial, a whole byte at a time.
///
/// A remainder of up to 32 bytes lies left-aligned in two words, so each data byte costs one look-up, one
/// shift and one exclusive-or instead of one multiplication per check byte.
#[derive(Debug)]
pub(super) struct Divider {
    multiples: Box<[(u128, u128); 256]>,
}

impl Divider {
    /// The divider that leaves `check_len` bytes, at most [`MAX_CHECK`]; built on first use.
    pub(super) fn leaving(check_len: usize) -> &'static Self {
        static DIVIDERS: [OnceLock<Divider>; MAX_CHECK + 1] = [const { OnceLock::new() }; MAX_CHECK + 1];
        DIVIDERS[check_len].get_or_init(|| Self::new(check_len))
    }

    fn new(check_len: usize) -> Self {
        let generator = generator(check_len);
        let mut multiples = Box::new([(0, 0); 256]);
        for (factor, multiple) in (0..=u8::MAX).zip(multiples.iter_mut()) {
            let mut bytes = [0; 32];
            for (byte, &coefficient) in bytes.iter_mut().zip(&generator) {
                *byte = multiply(factor, coefficient);
            }
            *multiple = split(bytes);
        }
        Self { multiples }
    }

    /// The check bytes of a block, followed by zeros.
    pub(super) fn remainder(&self, data: &[u8]) -> [u8; 32] {
        let (mut high, mut low) = (0_u128, 0_u128);
        for &byte in data {
            let (top, rest) = self.multiples[usize::from(byte ^ high.to_be_bytes()[0])];
            high = (high << 8 | low >> 120) ^ top;
            low = low << 8 ^ rest;
        }
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&high.to_be_bytes());
        bytes[16..].copy_from_slice(&low.to_be_bytes());
        bytes
    }
}

fn split(bytes: [u8; 32]) -> (u128, u128) {
    let mut halves =
        bytes.chunks_exact(16).map(|half| half.iter().fold(0, |word, &b| word << 8 | u128::from(b)));
    (halves.next().unwrap_or(0), halves.next().unwrap_or(0))
}

/// The product of (x - 2^i) for every i below `degree`, highest power first, without the leading 1.
fn generator(degree: usize) -> Vec<u8> {
    let mut coefficients = vec![0; degree];
    if let Some(last) = coefficients.last_mut() {
        *last = 1;
    }
    let mut root = 1;
    for _ in 0..degree {
        for i in 0..degree {
            let next = coefficients.get(i + 1).copied().unwrap_or(0);
            coefficients[i] = multiply(coefficients[i], root) ^ next;
        }
        root = multiply(root, 2);
    }
    coefficients
}

/// The product in the field of 256 elements that QR codes use (modulus 0x11d).
fn multiply(a: u8, b: u8) -> u8 {
    (0..8).rev().fold(0, |product, bit| {
        let doubled = product << 1 ^ if product & 0x80 == 0 { 0 } else { 0x1d };
        doubled ^ if b >> bit & 1 == 1 { a } else { 0 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_followed_by_its_check_bytes_leaves_no_remainder() {
        for check_len in [7, 10, 16, 22, 30] {
            let divider = Divider::leaving(check_len);
            let mut block: Vec<u8> = (0_u8..60).map(|i| i.wrapping_mul(37)).collect();
            let check = divider.remainder(&block);
            assert!(check[check_len..].iter().all(|&byte| byte == 0));
            block.extend(&check[..check_len]);
            assert_eq!(divider.remainder(&block), [0; 32]);
        }
    }

    #[test]
    fn the_generator_of_degree_seven_is_the_one_of_the_standard() {
        assert_eq!(generator(7), [127, 122, 154, 164, 11, 68, 117]);
    }
}
