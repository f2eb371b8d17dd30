use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use causeway_domain::{ChainId, Deployment, DeploymentMode, SOLANA_CHAIN_ID, SolanaDeployment};
use causeway_evm::deploy::DeploymentRecord;

use super::Deployments;
use super::solana_record::SolanaRecord;
use crate::boot::config::{Config, Mode};

/// The records of deployments, one file per chain.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    folder: PathBuf,
    mode: DeploymentMode,
}

impl Records {
    /// The records in the data folder, which are all of the configured mode.
    pub(crate) fn of(config: &Config) -> Self {
        Self::in_data_dir(&config.data_dir, config.mode)
    }

    fn in_data_dir(data_dir: &Path, mode: Mode) -> Self {
        let mode = match mode {
            Mode::Sandbox => DeploymentMode::Sandbox,
            Mode::Production => DeploymentMode::Production,
        };
        Self { folder: data_dir.join("deployments"), mode }
    }

    /// Reads all records; an unusable file, or one of the other mode, is an error, so that no chain is dropped silently.
    pub(crate) fn read(&self) -> anyhow::Result<Deployments> {
        let entries = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Deployments::default()),
            entries => entries.with_context(|| format!("cannot read {}", self.folder.display()))?,
        };
        let mut deployments = Deployments::default();
        for entry in entries {
            let path = entry?.path();
            let fault = || format!("{} cannot be used", path.display());
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            if path == self.path_of(SOLANA_CHAIN_ID) {
                deployments.solana = Some(self.own(read_solana(&path)).with_context(fault)?);
            } else {
                deployments.evm.push(self.own(read(&path)).with_context(fault)?);
            }
        }
        deployments.evm.sort_by_key(|deployment| deployment.chain);
        Ok(deployments)
    }

    fn path_of(&self, chain: ChainId) -> PathBuf {
        self.folder.join(format!("{chain}.json"))
    }

    /// Writes the record of one chain atomically; an older record of the same contracts keeps its first block.
    pub(crate) fn write(&self, deployment: &Deployment) -> anyhow::Result<PathBuf> {
        let path = self.path_of(deployment.chain);
        let mut deployment = deployment.clone();
        self.check_replaced(&path, read(&path))?;
        if let Ok((older, _)) = read(&path)
            && older.escrow == deployment.escrow
            && deployment.from_block == 0
        {
            deployment.from_block = older.from_block;
        }
        self.put(path, &DeploymentRecord::to_json(&deployment, self.mode)?)
    }

    /// The same for the program on Solana.
    pub(crate) fn write_solana(&self, deployment: &SolanaDeployment) -> anyhow::Result<PathBuf> {
        let path = self.path_of(deployment.chain);
        self.check_replaced(&path, read_solana(&path))?;
        self.put(path, &SolanaRecord::to_json(deployment, self.mode)?)
    }

    /// The deployment of a record, unless it is of the other mode. Records of older releases do not say their mode; what they
    /// name is compared with the configuration like everything else.
    fn own<T>(&self, record: anyhow::Result<(T, Option<DeploymentMode>)>) -> anyhow::Result<T> {
        let (deployment, mode) = record?;
        match (mode, self.mode) {
            (Some(DeploymentMode::Sandbox), DeploymentMode::Production) => bail!(
                "it records contracts of the sandbox, whose attester keys everybody knows: use another data folder for production, \
                 or delete the record"
            ),
            (Some(DeploymentMode::Production), DeploymentMode::Sandbox) => bail!(
                "it records contracts of production, and this is the sandbox: set `mode = \"production\"`, or use another data \
                 folder for the sandbox"
            ),
            _ => Ok(deployment),
        }
    }

    /// A record of the other mode is never replaced.
    fn check_replaced<T>(
        &self,
        path: &Path,
        older: anyhow::Result<(T, Option<DeploymentMode>)>,
    ) -> anyhow::Result<()> {
        if older.is_ok() {
            self.own(older).with_context(|| format!("{} is not replaced", path.display()))?;
        }
        Ok(())
    }

    fn put(&self, path: PathBuf, text: &str) -> anyhow::Result<PathBuf> {
        std::fs::create_dir_all(&self.folder)
            .with_context(|| format!("cannot create {}", self.folder.display()))?;
        let fresh = path.with_extension("new");
        std::fs::write(&fresh, text)
            .and_then(|()| std::fs::rename(&fresh, &path))
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

fn read(path: &Path) -> anyhow::Result<(Deployment, Option<DeploymentMode>)> {
    Ok(DeploymentRecord::parse(&std::fs::read_to_string(path)?)?)
}

fn read_solana(path: &Path) -> anyhow::Result<(SolanaDeployment, Option<DeploymentMode>)> {
    Ok(SolanaRecord::parse(&std::fs::read_to_string(path)?)?)
}

#[cfg(test)]
mod tests {
    use causeway_sandbox::genesis::Roles;

    use super::*;
    use crate::boot::parts::chain_policy::ChainPolicies;
    use crate::boot::parts::deployments::Contracts;

    #[test]
    fn a_record_keeps_its_first_block_when_it_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::in_data_dir(folder.path(), Mode::Sandbox);
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
    fn a_record_of_the_other_mode_is_neither_read_nor_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let sandbox = Records::in_data_dir(folder.path(), Mode::Sandbox);
        let production = Records::in_data_dir(folder.path(), Mode::Production);
        let policies = ChainPolicies::load(&Config::default()).unwrap();
        let contracts = Contracts::sandbox(&Roles::new().unwrap(), policies).unwrap();
        let deployment = contracts.plan(ChainId::new(10).unwrap()).unwrap().deployment;
        let path = sandbox.write(&deployment).unwrap();
        let error = format!("{:#}", production.read().unwrap_err());
        assert!(error.contains("contracts of the sandbox") && error.contains("10.json"), "{error}");
        assert!(production.write(&deployment).is_err());
        std::fs::remove_file(&path).unwrap();
        production.write(&deployment).unwrap();
        assert!(format!("{:#}", sandbox.read().unwrap_err()).contains("contracts of production"));
        assert!(sandbox.write(&deployment).is_err());
        let text = std::fs::read_to_string(&path).unwrap().replacen("  \"mode\": \"production\",\n", "", 1);
        std::fs::write(&path, text).unwrap();
        assert_eq!(production.read().unwrap().evm, [deployment], "a record of an older release");
    }

    #[test]
    fn solana_program_has_its_own_record() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records::in_data_dir(folder.path(), Mode::Sandbox);
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
