use causeway_wire::QuoteAsk;
use futures::stream::{self, Stream};
use reqwest::Method;

use crate::answers::StreamedRoute;
use crate::http::with_body;
use crate::lines::Lines;
use crate::quotes::check_amounts;
use crate::url::Query;
use crate::{Client, Details, Error};

impl Client {
    /// Requests routes from all fillers in parallel and yields each as it arrives, unordered.
    ///
    /// A rejected request fails before the stream starts. The stream ends after an error; earlier routes stay valid. The timeout
    /// applies to the response head and to each wait. Dropping the stream closes the connection.
    pub async fn stream_quotes(
        &self,
        ask: &QuoteAsk,
    ) -> Result<impl Stream<Item = Result<StreamedRoute, Error>> + Send + use<>, Error> {
        let url = Query::default().with("mode", Some("stream")).append_to(self.base.join(&["v1", "quotes"]));
        let response = self.open(with_body(Method::POST, url, ask)?).await?;
        Ok(read_lines(Lines::new(self.clone(), response), route))
    }
}

/// Parses each line as it arrives; the stream ends after an error.
pub(crate) fn read_lines<T: Send>(
    lines: Lines,
    read: fn(&[u8], u16) -> Result<T, Error>,
) -> impl Stream<Item = Result<T, Error>> + Send {
    stream::unfold(Some(lines), move |lines: Option<Lines>| async move {
        let mut lines = lines?;
        let status = lines.response.status().as_u16();
        match lines.next().await {
            Ok(None) => None,
            Ok(Some(line)) => {
                let item = read(&line, status);
                let rest = item.is_ok().then_some(lines);
                Some((item, rest))
            }
            Err(error) => Some((Err(error), None)),
        }
    })
}

fn route(line: &[u8], status: u16) -> Result<StreamedRoute, Error> {
    let invalid = |message| Error::InvalidResponse { message, details: Some(Details::new(status, line)) };
    let route: StreamedRoute = serde_json::from_slice(line)
        .map_err(|error| invalid(format!("A line does not match the API schema: {error}.")))?;
    check_amounts(&route.route).map_err(invalid)?;
    Ok(route)
}
