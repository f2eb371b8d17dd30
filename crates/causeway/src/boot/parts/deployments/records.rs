use std::path::{Path, PathBuf};

use anyhow::Context as _;
use causeway_domain::{ChainId, Deployment, SOLANA_CHAIN_ID, SolanaDeployment};
use causeway_evm::deploy::DeploymentRecord;

use super::Deployments;
use super::solana_record::SolanaRecord;

/// The records of deployments, one file per chain.
#[derive(Clone, Debug)]
pub(crate) struct Records(PathBuf);

impl Records {
    pub(crate) fn in_data_dir(data_dir: &Path) -> Self {
        Self(data_dir.join("deployments"))
    }

    /// Reads all records; an unusable file is an error, so that no chain is dropped silently.
    pub(crate) fn read(&self) -> anyhow::Result<Deployments> {
        let entries = match std::fs::read_dir(&self.0) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Deployments::default()),
            entries => entries.with_context(|| format!("cannot read {}", self.0.display()))?,
        };
        let mut deployments = Deployments::default();
        for entry in entries {
            let path = entry?.path();
            let fault = || format!("{} cannot be used", path.display());
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            if path == self.path_of(SOLANA_CHAIN_ID) {
                deployments.solana = Some(read_solana(&path).with_context(fault)?);
            } else {
                deployments.evm.push(read(&path).with_context(fault)?);
            }
        }
        deployments.evm.sort_by_key(|deployment| deployment.chain);
        Ok(deployments)
    }

    fn path_of(&self, chain: ChainId) -> PathBuf {
        self.0.join(format!("{chain}.json"))
    }

    /// Writes the record of one chain atomically; an older record of the same contracts keeps its first block.
    pub(crate) fn write(&self, deployment: &Deployment) -> anyhow::Result<PathBuf> {
        let path = self.path_of(deployment.chain);
        let mut deployment = deployment.clone();
        if let Ok(older) = read(&path)
            && older.escrow == deployment.escrow
            && deployment.from_block == 0
        {
            deployment.from_block = older.from_block;
        }
        self.put(path, &DeploymentRecord::to_json(&deployment)?)
    }

    /// The same for the program on Solana.
    pub(crate) fn write_solana(&self, deployment: &SolanaDeployment) -> anyhow::Result<PathBuf> {
        self.put(self.path_of(deployment.chain), &SolanaRecord::to_json(deployment)?)
    }

    fn put(&self, path: PathBuf, text: &str) -> anyhow::Result<PathBuf> {
        std::fs::create_dir_all(&self.0).with_context(|| format!("cannot create {}", self.0.display()))?;
        let fresh = path.with_extension("new");
        std::fs::write(&fresh, text)
            .and_then(|()| std::fs::rename(&fresh, &path))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

fn read(path: &Path) -> anyhow::Result<Deployment> {
    Ok(DeploymentRecord::parse(&std::fs::read_to_string(path)?)?)
}

fn read_solana(path: &Path) -> anyhow::Result<SolanaDeployment> {
    Ok(SolanaRecord::parse(&std::fs::read_to_string(path)?)?)
}

#[cfg(test)]
mod tests {
    use causeway_sandbox::genesis::Roles;

    use super::*;
    use crate::boot::config::Config;
    use crate::boot::parts::chain_policy::ChainPolicies;
    use crate::boot::parts::deployments::Contracts;

    #[test]
    fn a_record_keeps_its_first_block_when_it_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::in_data_dir(folder.path());
        assert!(records.read().unwrap().is_empty(), "no folder is no record");
        let policies = ChainPolicies::load(&Config::default()).unwrap();
        let contracts = Contracts::sandbox(&Roles::new().unwrap(), policies).unwrap();
        let plan = contracts.plan(ChainId::new(10).unwrap()).unwrap();
        let first = Deployment { from_block: 7, ..plan.deployment };
        records.write(&first).unwrap();
        records.write(&Deployment { from_block: 0, ..first.clone() }).unwrap();
        assert_eq!(records.read().unwrap().evm, [first]);
        std::fs::write(folder.path().join("deployments/1.json"), "{}").unwrap();
        assert!(
            records.read().unwrap_err().to_string().contains("1.json"),
            "a chain less would go unnoticed"
        );
    }

    #[test]
    fn solana_program_has_its_own_record() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::in_data_dir(folder.path());
        let deployment = SolanaDeployment {
            chain: SOLANA_CHAIN_ID,
            program: [7; 32].into(),
            min_grace: 7_200,
            from_slot: 11,
        };
        let path = records.write_solana(&deployment).unwrap();
        assert_eq!(records.read().unwrap(), Deployments { evm: Vec::new(), solana: Some(deployment) });
        let text = std::fs::read_to_string(&path).unwrap();
        for (bad, words) in [
            (text.replacen("\"version\": 2", "\"version\": 1", 1), "version 1"),
            (text.replacen("\"program\": \"", "\"program\": \"0", 1), "not an address"),
        ] {
            std::fs::write(&path, bad).unwrap();
            let error = format!("{:#}", records.read().unwrap_err());
            assert!(error.contains(words) && error.contains("20011000000.json"), "{error}");
        }
    }
}
