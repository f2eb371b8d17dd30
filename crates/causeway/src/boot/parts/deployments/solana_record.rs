use causeway_domain::{Address, DeploymentMode, Family, SOLANA_CHAIN_ID, SolanaDeployment, TERMS_VERSION};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a record of the program cannot be used.
#[derive(Debug, Error)]
pub(super) enum SolanaRecordError {
    #[error("it is not a record of the program: {0}")]
    Form(#[from] serde_json::Error),
    #[error("it is of version {0}, and this program speaks version {TERMS_VERSION}")]
    Version(u64),
    #[error("its program is not an address on Solana")]
    Program,
}

/// The record of the Solana program on disk.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SolanaRecord {
    version: u64,
    /// Absent in records of older releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<DeploymentMode>,
    chain_id: u64,
    program: String,
    min_grace_seconds: u64,
    from_slot: u64,
}

impl SolanaRecord {
    pub(super) fn parse(json: &str) -> Result<(SolanaDeployment, Option<DeploymentMode>), SolanaRecordError> {
        let record: Self = serde_json::from_str(json)?;
        if record.version != TERMS_VERSION {
            return Err(SolanaRecordError::Version(record.version));
        }
        let Ok(Address::Solana(program)) = Address::parse(Family::Solana, &record.program) else {
            return Err(SolanaRecordError::Program);
        };
        let deployment = SolanaDeployment {
            chain: SOLANA_CHAIN_ID,
            program: program.into(),
            min_grace: record.min_grace_seconds,
            from_slot: record.from_slot,
        };
        Ok((deployment, record.mode))
    }

    pub(super) fn to_json(
        deployment: &SolanaDeployment,
        mode: DeploymentMode,
    ) -> Result<String, SolanaRecordError> {
        let record = Self {
            version: TERMS_VERSION,
            mode: Some(mode),
            chain_id: deployment.chain.get(),
            program: Address::Solana(deployment.program.0).to_string(),
            min_grace_seconds: deployment.min_grace,
            from_slot: deployment.from_slot,
        };
        Ok(serde_json::to_string_pretty(&record)? + "\n")
    }
}
