use std::fmt::Write as _;

use clap::Args;
use serde_json::json;

use super::client::failure::Failure;
use super::client::output;
use crate::boot::config::Config;
use crate::boot::doctor::{Finding, examine_attester, examine_service};

#[derive(Clone, Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Check an attester instead of a service
    #[arg(long)]
    attester: bool,

    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Checks an installation and changes nothing; fails if a check fails.
pub(crate) async fn doctor(args: &DoctorArgs, config: &Config) -> anyhow::Result<()> {
    let findings = if args.attester { examine_attester(config).await } else { examine_service(config).await };
    let failed = findings.iter().filter(|finding| !finding.ok).count();
    if args.json {
        let document = json!({ "mode": config.mode.as_str(), "ok": failed == 0, "checks": findings });
        output::print_json(&document)?;
    } else {
        output::print(&list(&findings))?;
    }
    if failed > 0 {
        return Err(Failure::Local(format!("{failed} of {} checks failed", findings.len())).into());
    }
    Ok(())
}

fn list(findings: &[Finding]) -> String {
    let width = findings.iter().map(|finding| finding.subject.chars().count()).max().unwrap_or_default();
    let mut out = String::new();
    for Finding { area, subject, ok, message } in findings {
        let outcome = if *ok { "ok" } else { "failed" };
        // Writing to a string does not fail.
        let _ = writeln!(out, "{outcome:<6}  {area:<13}  {subject:<width$}  {message}");
    }
    out
}
