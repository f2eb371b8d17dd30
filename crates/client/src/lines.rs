use reqwest::Response;
use tokio_util::sync::CancellationToken;

use crate::http::transport_error;
use crate::{Client, Error};

/// Normal lines have a few hundred bytes. The limit protects the memory of the caller.
const MAX_LINE_BYTES: usize = 1024 * 1024;

/// The lines of a streamed response.
pub(crate) struct Lines {
    pub(crate) client: Client,
    pub(crate) response: Response,
    buffer: LineBuffer,
}

/// Received bytes that do not form a line yet.
#[derive(Debug, Default)]
pub(crate) struct LineBuffer(Vec<u8>);

impl LineBuffer {
    pub(crate) fn extend(&mut self, chunk: &[u8]) {
        self.0.extend_from_slice(chunk);
    }

    /// The next complete line, without its line break.
    pub(crate) fn next_line(&mut self) -> Option<Vec<u8>> {
        let end = self.0.iter().position(|byte| *byte == b'\n')?;
        let mut line: Vec<u8> = self.0.drain(..=end).collect();
        line.truncate(line.trim_ascii_end().len());
        Some(line)
    }

    /// What follows the last line break.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        let mut rest = std::mem::take(&mut self.0);
        rest.truncate(rest.trim_ascii_end().len());
        rest
    }
}

impl Lines {
    pub(crate) const fn new(client: Client, response: Response) -> Self {
        Self { client, response, buffer: LineBuffer(Vec::new()) }
    }

    /// The next complete line in the buffer, without its line break.
    pub(crate) fn next_buffered(&mut self) -> Option<Vec<u8>> {
        self.buffer.next_line()
    }

    /// Reads more bytes; `false` at the end.
    pub(crate) async fn read_chunk(&mut self) -> Result<bool, Error> {
        if self.buffer.0.len() > MAX_LINE_BYTES {
            return Err(Error::invalid_response(format!(
                "A line of the response is longer than {MAX_LINE_BYTES} bytes."
            )));
        }
        let chunk = self.response.chunk().await.map_err(transport_error)?;
        self.buffer.extend(chunk.as_deref().unwrap_or_default());
        Ok(chunk.is_some())
    }

    /// The next non-empty line; the last needs no line break. The timeout applies to each wait.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<u8>>, Error> {
        loop {
            while let Some(line) = self.next_buffered() {
                if !line.is_empty() {
                    return Ok(Some(line));
                }
            }
            let client = self.client.clone();
            if !client.with_timeout(self.read_chunk()).await? {
                let rest = self.buffer.take_rest();
                return Ok(Some(rest.trim_ascii_start().to_vec()).filter(|rest| !rest.is_empty()));
            }
        }
    }

    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.client.cancel.clone()
    }
}
