use super::reed_solomon::Divider;
use super::version::Version;

/// All codewords of the symbol in drawing order: the text and padding, cut into blocks, then the check bytes, both
/// interleaved by block. Eight zero bytes follow, so that the last codewords can be read as whole words.
///
/// `text` must not be longer than the version's capacity.
pub(super) fn codewords(text: &[u8], version: Version) -> Vec<u8> {
    let data = data(text, version);
    let divider = Divider::leaving(version.check_len);
    let short_len = data.len() / version.blocks;
    let short_blocks = version.blocks - data.len() % version.blocks;

    let mut interleaved = vec![0; version.codewords + size_of::<u64>()];
    let mut rest = &data[..];
    for block in 0..version.blocks {
        let is_long = block >= short_blocks;
        let (own, others) = rest.split_at(short_len + usize::from(is_long));
        rest = others;
        for (slot, &byte) in interleaved[block..].iter_mut().step_by(version.blocks).zip(&own[..short_len]) {
            *slot = byte;
        }
        if is_long {
            interleaved[short_len * version.blocks + block - short_blocks] = own[short_len];
        }
        let check = divider.remainder(own);
        let slots = interleaved[data.len() + block..].iter_mut().step_by(version.blocks);
        for (slot, &byte) in slots.zip(&check[..version.check_len]) {
            *slot = byte;
        }
    }
    interleaved
}

/// Byte mode, the length, the text and the closing nibble, then the two padding bytes by turns.
///
/// The mode is half a byte long, so everything after it sits half a byte off.
fn data(text: &[u8], version: Version) -> Vec<u8> {
    let len = text.len().to_be_bytes();
    let mut whole = Vec::with_capacity(version.data_len() + 1);
    whole.push(0b0100);
    whole.extend_from_slice(&len[len.len() - version.length_bytes()..]);
    whole.extend_from_slice(text);
    whole.push(0);
    let mut data = Vec::with_capacity(version.data_len());
    data.extend(whole.iter().zip(&whole[1..]).map(|(byte, next)| byte << 4 | next >> 4));
    data.extend([0xec, 0x11].into_iter().cycle().take(version.data_len() - data.len()));
    data
}
