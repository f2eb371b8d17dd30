use crate::Error;

pub(super) const MAX_DECIMALS: u8 = 36;
const MAX_UINT256: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

/// A decimal amount as an integer of the token's smallest unit, exactly.
///
/// Accepted are digits, optionally followed by a point and more digits: no `1.`, `.5` or `007`. Zero is a
/// number like any other. Digits are moved, never calculated with, so no amount is too long to be exact.
pub fn base_units(amount: &str, decimals: u8) -> Result<String, Error> {
    if decimals > MAX_DECIMALS {
        return Err(Error::Decimals);
    }
    let (whole, fraction) = split(amount).ok_or(Error::MalformedAmount)?;
    let zeros = usize::from(decimals)
        .checked_sub(fraction.len())
        .ok_or(Error::TooPrecise { fraction: fraction.len(), decimals })?;
    let padded = [whole, fraction, &"0".repeat(zeros)].concat();
    let units = match padded.trim_start_matches('0') {
        "" => "0",
        units => units,
    };
    // Without leading zeros, numbers of equal length compare like their digits.
    if (units.len(), units) > (MAX_UINT256.len(), MAX_UINT256) {
        return Err(Error::AmountTooLarge);
    }
    Ok(units.to_owned())
}

/// Whether the amount is a plain decimal number that needs no more digits after the point.
pub(super) fn has_at_most_fraction_digits(amount: &str, digits: usize) -> bool {
    split(amount).is_some_and(|(_, fraction)| fraction.trim_end_matches('0').len() <= digits)
}

/// The digits before and after the point of a plain decimal number.
fn split(amount: &str) -> Option<(&str, &str)> {
    let (whole, fraction) = match amount.split_once('.') {
        Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
        Some(_) => return None,
        None => (amount, ""),
    };
    let is_superfluous = whole.len() > 1 && whole.starts_with('0');
    (is_digits(whole) && !is_superfluous).then_some((whole, fraction))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
