use clap::Args;
use serde_json::{Value, json};

use super::operator::{OperatorArgs, run_operator_command};
use crate::boot::config::Config;

#[derive(Clone, Debug, Args)]
pub(crate) struct EraseArgs {
    /// The id of a purchase
    #[arg(long, value_name = "ID", required_unless_present = "address", conflicts_with = "address")]
    purchase: Option<String>,

    /// An address: all purchases by it, for it, or with it as refund address
    #[arg(long, value_name = "ADDRESS")]
    address: Option<String>,

    #[command(flatten)]
    service: OperatorArgs,
}

/// Erases the personal data of purchases that are over.
pub(crate) fn erase(args: &EraseArgs, config: &Config) -> anyhow::Result<()> {
    let body = json!({ "purchase": args.purchase, "address": args.address });
    run_operator_command(&args.service, config, |client| async move {
        let answer = client.post(&["erasures"], &body).await?;
        client.print(&answer, words)
    })
}

fn words(answer: &Value) -> String {
    let ids: Vec<&str> =
        answer["erased"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut lines = match ids.as_slice() {
        [] => vec!["no purchase that is over has personal data of it".to_owned()],
        ids => ids.iter().map(|id| format!("{id}  erased")).collect(),
    };
    let unfinished = answer["unfinished"].as_u64().unwrap_or_default();
    if unfinished > 0 {
        lines.push(format!("{unfinished} of its purchases can still get money or give it back; erase again when they are over"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_was_erased_and_what_was_not() {
        let shown = words(&json!({ "erased": ["fo_1", "fo_2"], "unfinished": 1 }));
        assert!(shown.starts_with("fo_1  erased\nfo_2  erased\n1 of its purchases"), "{shown}");
        let shown = words(&json!({ "erased": [], "unfinished": 0 }));
        assert_eq!(shown, "no purchase that is over has personal data of it");
    }
}
