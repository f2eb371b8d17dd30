//! Products of 256-bit numbers. The machine multiplies 64 bits into 64, so they are taken apart into digits of 32.

use crate::terms::Word;

const DIGITS: usize = 8;

/// A product, least significant digit first.
type Product = [u32; 2 * DIGITS];

/// Whether `out * rate_in >= rate_out * amount`, in full width; a jump without `rate_in` names no rate at all.
pub fn holds(rate_in: &Word, rate_out: &Word, amount: &Word, out: &Word) -> bool {
    if *rate_in == [0; 32] {
        return false;
    }
    let (given, wanted) = (multiply(out, rate_in), multiply(rate_out, amount));
    given.iter().rev().ge(wanted.iter().rev())
}

#[inline(never)]
fn multiply(left: &Word, right: &Word) -> Product {
    let (left, right) = (digits(left), digits(right));
    let mut product = [0u32; 2 * DIGITS];
    for (place, digit) in left.into_iter().enumerate() {
        if digit == 0 {
            continue;
        }
        let mut carry = 0u64;
        for (slot, other) in product[place..].iter_mut().zip(right) {
            // At most (2^32 - 1)^2 + 2 * (2^32 - 1) = 2^64 - 1: nothing wraps, and nothing asks for a check that the machine lacks.
            let sum = u64::from(digit)
                .wrapping_mul(u64::from(other))
                .wrapping_add(u64::from(*slot))
                .wrapping_add(carry);
            *slot = sum as u32;
            carry = sum >> 32;
        }
        product[place + DIGITS] = carry as u32;
    }
    product
}

/// Least significant first.
fn digits(word: &Word) -> [u32; DIGITS] {
    let mut digits = [0; DIGITS];
    let (parts, _) = word.as_chunks::<4>();
    for (digit, part) in digits.iter_mut().zip(parts.iter().rev()) {
        *digit = u32::from_be_bytes(*part);
    }
    digits
}
