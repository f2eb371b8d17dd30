use causeway_wire::QuoteAsk;
use reqwest::Method;

use crate::answers::{QuoteAnswer, Route};
use crate::{Client, Error};

impl Client {
    /// Requests routes from all fillers in parallel. The best route comes first; the list is empty if no filler answers in time.
    pub async fn quote(&self, ask: &QuoteAsk) -> Result<QuoteAnswer, Error> {
        let answer = self.send(Method::POST, self.base.join(&["v1", "quotes"]), ask).await?;
        let quote: QuoteAnswer = answer.json()?;
        for route in &quote.routes {
            check_amounts(route)
                .map_err(|message| Error::InvalidResponse { message, details: Some(answer.details()) })?;
        }
        Ok(quote)
    }
}

/// Checks that the amounts of a route are integers.
pub(crate) fn check_amounts(route: &Route) -> Result<(), String> {
    let quote = &route.quote;
    let amounts = [
        ("amountIn", Some(&quote.amount_in)),
        ("amountOut", Some(&quote.amount_out)),
        ("minAmountOut", quote.min_amount_out.as_ref()),
    ];
    for (name, amount) in amounts.into_iter().filter_map(|(name, amount)| Some((name, amount?))) {
        if amount.is_empty() || !amount.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!(
                "The response does not match the API schema: {name} of route {:?} is {amount:?}, expected an integer.",
                route.route_id,
            ));
        }
    }
    Ok(())
}
