use std::io::Write as _;

use causeway_domain::Chain;

/// What was compared on one chain.
pub(super) struct ChainReport {
    title: String,
    /// What agrees, in short.
    agreed: Vec<String>,
    /// Each fact that differs, with both values.
    pub(super) differences: Vec<String>,
    /// What could not be read, and why.
    pub(super) unreached: Vec<String>,
}

impl ChainReport {
    pub(super) fn new(chain: &Chain) -> Self {
        let title = format!("chain {} {}", chain.id, chain.name);
        Self { title, agreed: Vec::new(), differences: Vec::new(), unreached: Vec::new() }
    }

    pub(super) fn agrees(&mut self, what: impl Into<String>) {
        self.agreed.push(what.into());
    }

    pub(super) fn differs(&mut self, what: impl Into<String>) {
        self.differences.push(what.into());
    }

    pub(super) fn unread(&mut self, what: impl Into<String>) {
        self.unreached.push(what.into());
    }

    pub(super) fn print(&self) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}: {}", self.title, self.agreed.join(", "))?;
        for line in &self.differences {
            writeln!(out, "  differs: {line}")?;
        }
        for line in &self.unreached {
            writeln!(out, "  not read: {line}")?;
        }
        Ok(())
    }
}
