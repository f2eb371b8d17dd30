//! Bodies of the API as anybody may send them: what is read can be written and read again. Compiled for fuzzing and for the test
//! that replays the committed inputs.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{
    Autocomplete, BuildAnswer, BuildAsk, Chain, ErrorBody, FiatErrorBody, FiatOrderAnswer, FiatOrderAsk,
    FiatOrderView, FiatQuoteAnswer, FiatQuoteAsk, FiatQuoteLine, FiatWidgetEvent, FrozenOrder, HubConfig,
    Intent, IntentAttestations, Order, OrderEvent, Page, QuoteAnswer, QuoteAsk, StreamedRoute, SubmitAnswer,
    SubmitAsk, Terms, Token, WebhookEvent,
};

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[("answers", answers), ("requests", requests)];

/// What is read is the same after it was written.
fn reads_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<T>(bytes) else { return };
    let written = serde_json::to_vec(&value).unwrap_or_default();
    assert_eq!(serde_json::from_slice::<T>(&written).ok(), Some(value), "{}", written.escape_ascii());
}

fn requests(bytes: &[u8]) {
    reads_back::<QuoteAsk>(bytes);
    reads_back::<BuildAsk>(bytes);
    reads_back::<SubmitAsk>(bytes);
    reads_back::<FiatQuoteAsk>(bytes);
    reads_back::<FiatOrderAsk>(bytes);
}

fn answers(bytes: &[u8]) {
    reads_back::<QuoteAnswer>(bytes);
    reads_back::<StreamedRoute>(bytes);
    reads_back::<BuildAnswer>(bytes);
    reads_back::<SubmitAnswer>(bytes);
    reads_back::<FrozenOrder>(bytes);
    reads_back::<Order>(bytes);
    reads_back::<OrderEvent>(bytes);
    reads_back::<WebhookEvent>(bytes);
    reads_back::<Terms>(bytes);
    reads_back::<Intent>(bytes);
    reads_back::<IntentAttestations>(bytes);
    reads_back::<FiatQuoteAnswer>(bytes);
    reads_back::<FiatQuoteLine>(bytes);
    reads_back::<FiatOrderAnswer>(bytes);
    reads_back::<FiatOrderView>(bytes);
    reads_back::<FiatWidgetEvent>(bytes);
    reads_back::<FiatErrorBody>(bytes);
    reads_back::<ErrorBody>(bytes);
    reads_back::<Chain>(bytes);
    reads_back::<HubConfig>(bytes);
    reads_back::<Autocomplete>(bytes);
    reads_back::<Page<Token>>(bytes);
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("wire", super::PARSERS);
    }
}
