use causeway_wire::{QuoteAsk, StreamedRoute};
use futures::stream::{self, Stream};
use reqwest::{Method, Response};

use crate::address::Query;
use crate::http::{broken, with_body};
use crate::quotes::check_amounts;
use crate::{Client, Details, Error};

/// A route takes a few hundred bytes; a line that does not end must not fill the caller's memory.
const LONGEST_LINE: usize = 1024 * 1024;

impl Client {
    /// Asks every filler at once and yields each route the moment it is known, in no order.
    ///
    /// A refusal comes before the stream does. After an error the stream is over; routes that came before it stand. The
    /// time-out holds for the beginning and for each wait. Dropping the stream hangs up.
    pub async fn stream_quotes(
        &self,
        ask: &QuoteAsk,
    ) -> Result<impl Stream<Item = Result<StreamedRoute, Error>> + Send + use<>, Error> {
        let url = Query::default().with("mode", Some("stream")).onto(self.base.join(&["v1", "quotes"]));
        let response = self.open(with_body(Method::POST, url, ask)?).await?;
        let lines = Lines { client: self.clone(), response, read: Vec::new() };
        Ok(stream::unfold(Some(lines), async |lines| {
            let mut lines = lines?;
            match lines.next().await {
                Ok(None) => None,
                Ok(Some(route)) => Some((Ok(route), Some(lines))),
                Err(error) => Some((Err(error), None)),
            }
        }))
    }
}

/// The lines of an answer as they come.
struct Lines {
    client: Client,
    response: Response,
    /// What has come and is not yet a line.
    read: Vec<u8>,
}

impl Lines {
    async fn next(&mut self) -> Result<Option<StreamedRoute>, Error> {
        loop {
            if let Some(end) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                if line.trim_ascii().is_empty() {
                    continue;
                }
                return self.route(&line).map(Some);
            }
            if self.read.len() > LONGEST_LINE {
                return Err(Error::unlike(format!(
                    "A line of the answer is longer than {LONGEST_LINE} bytes."
                )));
            }
            let more = async { self.response.chunk().await.map_err(broken) };
            match self.client.within(more).await? {
                Some(chunk) => self.read.extend_from_slice(&chunk),
                None if self.read.trim_ascii().is_empty() => return Ok(None),
                None => {
                    let line = std::mem::take(&mut self.read);
                    return self.route(&line).map(Some);
                }
            }
        }
    }

    fn route(&self, line: &[u8]) -> Result<StreamedRoute, Error> {
        let invalid = |message| Error::InvalidResponse {
            message,
            details: Some(Details::new(self.response.status().as_u16(), line)),
        };
        let route: StreamedRoute = serde_json::from_slice(line)
            .map_err(|error| invalid(format!("A line is not what the contract says: {error}.")))?;
        check_amounts(&route.route).map_err(invalid)?;
        Ok(route)
    }
}
