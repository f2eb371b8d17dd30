use std::fmt;

/// One rule, and whether the filler follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: &'static str,
    /// What was observed instead, and what to change; absent when the rule is followed.
    pub failure: Option<(String, &'static str)>,
}

/// The findings for all rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub findings: Vec<Finding>,
}

impl Report {
    pub(super) fn add(&mut self, rule: &'static str, change: &'static str, observed: Result<(), String>) {
        let failure = observed.err().map(|observed| (observed, change));
        self.findings.push(Finding { rule, failure });
    }

    /// Whether every rule is followed.
    pub fn is_good(&self) -> bool {
        self.findings.iter().all(|finding| finding.failure.is_none())
    }

    /// How many rules are not followed.
    pub fn failed(&self) -> usize {
        self.findings.iter().filter(|finding| finding.failure.is_some()).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Finding { rule, failure } in &self.findings {
            match failure {
                None => writeln!(f, "  ok      {rule}")?,
                Some((observed, change)) => {
                    writeln!(
                        f,
                        "  FAILED  {rule}\n            seen:   {observed}\n            change: {change}"
                    )?;
                }
            }
        }
        let (failed, all) = (self.failed(), self.findings.len());
        if failed == 0 {
            write!(f, "\nAll {all} rules are kept.")
        } else {
            write!(f, "\n{failed} of {all} rules are violated.")
        }
    }
}
