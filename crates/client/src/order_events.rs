use causeway_wire::OrderEvent;
use futures::stream::{self, Stream};

use crate::event_signals::is_event_stream;
use crate::lines::Lines;
use crate::{Client, Details, Error};

impl Client {
    /// Streams the events of an order, from its creation to its terminal status.
    ///
    /// The stream ends after an error. There is no timeout between events, because an order may wait for hours. Dropping the
    /// stream closes the connection. Most callers want [`Client::track_order`].
    pub async fn order_events(
        &self,
        order_id: &str,
    ) -> Result<impl Stream<Item = Result<OrderEvent, Error>> + Send + use<>, Error> {
        let response = self.open(self.events_request(order_id)).await?;
        if !is_event_stream(&response) {
            return Err(Error::invalid_response("The response is not an event stream."));
        }
        let lines = Lines::new(self.clone(), response);
        Ok(stream::unfold(Some((lines, Vec::new())), |state: Option<(Lines, Vec<u8>)>| async move {
            let (mut lines, mut data) = state?;
            match next(&mut lines, &mut data).await {
                Ok(None) => None,
                Ok(Some(event)) => Some((Ok(event), Some((lines, data)))),
                Err(error) => Some((Err(error), None)),
            }
        }))
    }
}

async fn next(lines: &mut Lines, data: &mut Vec<u8>) -> Result<Option<OrderEvent>, Error> {
    loop {
        while let Some(line) = lines.next_buffered() {
            if let Some(more) = line.strip_prefix(b"data:") {
                data.extend_from_slice(more);
            } else if line.is_empty() && !data.is_empty() {
                let status = lines.response.status().as_u16();
                return read(&std::mem::take(data), status).map(Some);
            }
        }
        let cancelled = lines.cancellation();
        let more = tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(Error::ApiAborted),
            more = lines.read_chunk() => more,
        };
        if !more? {
            return Ok(None);
        }
    }
}

fn read(data: &[u8], status: u16) -> Result<OrderEvent, Error> {
    serde_json::from_slice(data).map_err(|error| Error::InvalidResponse {
        message: format!("An event does not match the API schema: {error}."),
        details: Some(Details::new(status, data)),
    })
}
