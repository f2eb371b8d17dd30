use alloy_primitives::U256;
pub(super) use alloy_primitives::aliases::U1024 as Wide;

/// Maximum decimals of a served token; with it every product below fits into 1,024 bits.
pub(super) const MAX_DECIMALS: u8 = 36;

/// Parts per million: shares and spreads are counted in millionths.
pub(super) const PPM: u32 = 1_000_000;

/// The product of all factors; `None` when it overflows 1,024 bits.
pub(super) fn product<const N: usize>(factors: [U256; N]) -> Option<Wide> {
    factors.into_iter().try_fold(Wide::ONE, |product, factor| product.checked_mul(Wide::from(factor)))
}

/// Rounded down; `None` on division by zero.
pub(super) fn floor(numerator: Wide, denominator: Wide) -> Option<Wide> {
    numerator.checked_div(denominator)
}

/// Rounded up; `None` on division by zero.
pub(super) fn ceil(numerator: Wide, denominator: Wide) -> Option<Wide> {
    if denominator.is_zero() {
        return None;
    }
    let (down, rest) = numerator.div_rem(denominator);
    if rest.is_zero() { Some(down) } else { down.checked_add(Wide::ONE) }
}

/// The number as 256 bits; `None` when it does not fit.
pub(super) fn narrow(number: Wide) -> Option<U256> {
    U256::checked_from_limbs_slice(number.as_limbs())
}

/// The number as 256 bits; saturates.
pub(super) fn saturate(number: Wide) -> U256 {
    narrow(number).unwrap_or(U256::MAX)
}

/// 10 to the power of a token's decimals, `None` beyond what is served.
pub(super) fn power_of_ten(decimals: u8) -> Option<U256> {
    (decimals <= MAX_DECIMALS).then(|| U256::from(10u128.saturating_pow(decimals.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_product_of_a_price_fits() {
        let ten = power_of_ten(MAX_DECIMALS).unwrap();
        assert_eq!(ten, U256::from(10).pow(U256::from(MAX_DECIMALS)));
        assert!(product([U256::MAX, U256::from(PPM), U256::MAX, ten, U256::MAX]).is_some());
        assert_eq!(power_of_ten(MAX_DECIMALS + 1), None);
    }

    #[test]
    fn division_rounds_as_its_name_says() {
        let wide = |number: u64| Wide::from(number);
        assert_eq!(floor(wide(7), wide(2)), Some(wide(3)));
        assert_eq!(ceil(wide(7), wide(2)), Some(wide(4)));
        assert_eq!(ceil(wide(8), wide(2)), Some(wide(4)));
        assert_eq!(floor(wide(1), wide(0)), None);
        assert_eq!(ceil(wide(1), wide(0)), None);
        assert_eq!(saturate(Wide::from(U256::MAX) + wide(1)), U256::MAX);
    }
}
