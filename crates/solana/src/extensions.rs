/// The offset of the first extension, behind the account type byte.
const FIRST_EXTENSION: usize = 166;

/// The extensions of a mint or token account, each with its number and content.
/// `None` if an extension claims to be longer than the account.
pub(crate) fn extensions(data: &[u8]) -> Option<Vec<(u16, &[u8])>> {
    let mut found = Vec::new();
    let mut rest = data.get(FIRST_EXTENSION..).unwrap_or_default();
    while let Some((&[kind_low, kind_high, length_low, length_high], after)) = rest.split_first_chunk::<4>() {
        let kind = u16::from_le_bytes([kind_low, kind_high]);
        // The rest is padding.
        if kind == 0 {
            break;
        }
        let length = usize::from(u16::from_le_bytes([length_low, length_high]));
        let (value, after) = after.split_at_checked(length)?;
        found.push((kind, value));
        rest = after;
    }
    Some(found)
}
