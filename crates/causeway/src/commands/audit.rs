use clap::Args;
use serde_json::Value;

use super::operator::{OperatorArgs, operate};
use crate::config::Config;

/// Which lines to show.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    #[command(flatten)]
    service: OperatorArgs,
    /// How many lines, newest first
    #[arg(long, value_name = "LINES", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=500))]
    limit: u32,
    /// Only lines older than the one with this key
    #[arg(long, value_name = "KEY")]
    before: Option<i64>,
}

/// Shows what the operator may have to account for.
pub(crate) fn audit(args: &AuditArgs, config: &Config) -> anyhow::Result<()> {
    operate(&args.service, config, |door| async move {
        let mut query = vec![("limit", args.limit.to_string())];
        query.extend(args.before.map(|before| ("cursor", before.to_string())));
        let answer = door.get(&["audit"], &query).await?;
        door.print(&answer, in_words)
    })
}

fn in_words(answer: &Value) -> String {
    let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
    let events = answer["events"].as_array().map(Vec::as_slice).unwrap_or_default();
    if events.is_empty() {
        return "Nothing so far.\n".to_owned();
    }
    let line = |event: &Value| {
        let (at, kind, detail) = (text(event, "at"), text(event, "kind"), text(event, "detail"));
        format!("{at}  {kind}  {detail}  [{}]\n", event["key"])
    };
    events.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_are_told_with_the_key_by_which_older_ones_are_asked_for() {
        let event = json!({ "key": 7, "at": "2026-11-16T00:00:00Z", "kind": "screening.hit", "detail": "d" });
        let words = in_words(&json!({ "events": [event] }));
        assert_eq!(words, "2026-11-16T00:00:00Z  screening.hit  d  [7]\n");
        assert_eq!(in_words(&json!({ "events": [] })), "Nothing so far.\n");
    }
}
