use crate::Error;

const MAX_DECIMALS: u8 = 36;
const MAX_UINT256: &str = "115792089237316195423570985008687907853269984665640564039457584007913129639935";

/// A decimal amount as an integer of the token's smallest unit, exactly.
///
/// Accepted are digits, optionally followed by a point and more digits: no `1.`, `.5` or `007`. Zero is a
/// number like any other. Digits are moved, never calculated with, so no amount is too long to be exact.
pub(super) fn base_units(amount: &str, decimals: u8) -> Result<String, Error> {
    if decimals > MAX_DECIMALS {
        return Err(Error::Decimals);
    }
    let (whole, fraction) = match amount.split_once('.') {
        Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
        Some(_) => return Err(Error::MalformedAmount),
        None => (amount, ""),
    };
    if !is_digits(whole) || whole.len() > 1 && whole.starts_with('0') {
        return Err(Error::MalformedAmount);
    }
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

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
