use std::fmt;

/// One rule, and how the filler keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static str,
    /// What was seen instead, and what to change; absent where the rule is kept.
    pub failure: Option<(String, &'static str)>,
}

/// How a filler keeps all rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub findings: Vec<Finding>,
}

impl Report {
    pub(super) fn add(&mut self, rule: &'static str, change: &'static str, seen: Result<(), String>) {
        let failure = seen.err().map(|seen| (seen, change));
        self.findings.push(Finding { rule, failure });
    }

    /// Whether every rule is kept.
    pub fn is_good(&self) -> bool {
        self.findings.iter().all(|finding| finding.failure.is_none())
    }

    /// How many are not.
    pub fn failed(&self) -> usize {
        self.findings.iter().filter(|finding| finding.failure.is_some()).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { rule, failure } in &self.findings {
            match failure {
                None => writeln!(f, "  ok      {rule}")?,
                Some((seen, change)) => {
                    writeln!(
                        f,
                        "  FAILED  {rule}\n            seen:   {seen}\n            change: {change}"
                    )?;
                }
            }
        }
        let (failed, all) = (self.failed(), self.findings.len());
        if failed == 0 {
            write!(f, "\nAll {all} rules are kept.")
        } else {
            write!(f, "\n{failed} of {all} rules are not kept.")
        }
    }
}
