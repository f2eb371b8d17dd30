use std::fmt::Write;

use sha2::{Digest, Sha256};

/// The first `bytes` bytes of the SHA-256 of a text or file, in hex.
pub(crate) fn hex_digest(content: &[u8], bytes: usize) -> String {
    Sha256::digest(content).iter().take(bytes).fold(String::with_capacity(2 * bytes), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_sha_256() {
        assert_eq!(hex_digest(b"", 4), "e3b0c442");
    }
}
