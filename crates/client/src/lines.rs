use reqwest::Response;
use tokio_util::sync::CancellationToken;

use crate::http::broken;
use crate::{Client, Error};

/// Anything that the service sends takes a few hundred bytes; a line that does not end must not fill the caller's memory.
const LONGEST: usize = 1024 * 1024;

/// The lines of an answer as they come.
pub(crate) struct Lines {
    pub(crate) client: Client,
    pub(crate) response: Response,
    /// What has come and is not yet a line.
    read: Vec<u8>,
}

impl Lines {
    pub(crate) const fn new(client: Client, response: Response) -> Self {
        Self { client, response, read: Vec::new() }
    }

    /// A line that has come as a whole, without its line break.
    pub(crate) fn ready(&mut self) -> Option<Vec<u8>> {
        let end = self.read.iter().position(|byte| *byte == b'\n')?;
        let mut line: Vec<u8> = self.read.drain(..=end).collect();
        line.truncate(line.trim_ascii_end().len());
        Some(line)
    }

    /// Waits for more; whether there was any.
    pub(crate) async fn more(&mut self) -> Result<bool, Error> {
        if self.read.len() > LONGEST {
            return Err(Error::unlike(format!("A line of the answer is longer than {LONGEST} bytes.")));
        }
        let chunk = self.response.chunk().await.map_err(broken)?;
        self.read.extend_from_slice(chunk.as_deref().unwrap_or_default());
        Ok(chunk.is_some())
    }

    /// The next line that says something; the last needs no line break. The time-out holds for each wait.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<u8>>, Error> {
        loop {
            while let Some(line) = self.ready() {
                if !line.is_empty() {
                    return Ok(Some(line));
                }
            }
            let client = self.client.clone();
            if !client.within(self.more()).await? {
                let rest = std::mem::take(&mut self.read);
                return Ok(Some(rest.trim_ascii().to_vec()).filter(|rest| !rest.is_empty()));
            }
        }
    }

    pub(crate) fn cancelled(&self) -> CancellationToken {
        self.client.cancel.clone()
    }
}
