use clap::Args;
use serde_json::Value;

use super::operator::{OperatorArgs, run_operator_command};
use crate::boot::config::Config;

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

/// Shows the audit log.
pub(crate) fn audit(args: &AuditArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        let mut query = vec![("limit", args.limit.to_string())];
        query.extend(args.before.map(|before| ("cursor", before.to_string())));
        let answer = client.get(&["audit"], &query).await?;
        client.print(&answer, format_events)
    })
}

fn format_events(answer: &Value) -> String {
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
    fn audit_lines_end_with_their_cursor_key() {
        let event = json!({ "key": 7, "at": "2026-11-16T00:00:00Z", "kind": "screening.hit", "detail": "d" });
        let text = format_events(&json!({ "events": [event] }));
        assert_eq!(text, "2026-11-16T00:00:00Z  screening.hit  d  [7]\n");
        assert_eq!(format_events(&json!({ "events": [] })), "Nothing so far.\n");
    }
}
