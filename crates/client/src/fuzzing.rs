//! What a client reads from a service that it need not trust. Compiled for fuzzing and for the test that replays the committed
//! inputs.

use crate::lines::LineBuffer;
use crate::webhooks;

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[("lines", lines), ("webhooks", signed_webhooks)];

/// The first byte is the length of the chunks in which the rest arrives.
fn lines(bytes: &[u8]) {
    let Some((length, stream)) = bytes.split_first() else { return };
    let mut buffer = LineBuffer::default();
    let mut read = Vec::new();
    for chunk in stream.chunks(usize::from(*length).max(1)) {
        buffer.extend(chunk);
        while let Some(line) = buffer.next_line() {
            assert!(!line.contains(&b'\n'));
            read.push(line);
        }
    }
    read.push(buffer.take_rest());
    // However it arrives, it is the same.
    let whole: Vec<_> = stream.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
    assert_eq!(read, whole);
}

/// A header line, then the body; the body is also tried with a signature that is right.
fn signed_webhooks(bytes: &[u8]) {
    const SECRET: &str = "whsec_0123456789abcdef";
    const NOW: u64 = 1_800_000_000;
    let at = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (header, body) = bytes.split_at(at);
    let body = body.get(1..).unwrap_or_default();
    if let Ok(header) = str::from_utf8(header) {
        let read = webhooks::verify_at(SECRET, header, body, NOW);
        assert!(read.is_err(), "nobody signed it");
    }
    let signed = webhooks::sign(SECRET, body, NOW);
    let read = webhooks::verify_at(SECRET, &signed, body, NOW);
    assert!(matches!(read, Ok(_) | Err(webhooks::WebhookError::Body(_))));
    assert!(webhooks::verify_at("whsec_fedcba9876543210", &signed, body, NOW).is_err());
    let longer = [body, b" "].concat();
    assert!(webhooks::verify_at(SECRET, &signed, &longer, NOW).is_err());
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("client", super::PARSERS);
    }
}
