use alloy_primitives::{Address, B256};
use causeway_domain::{ChainId, Deployment, DeploymentMode, HubDeployment, TERMS_VERSION, VaultDeployment};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a deployment record cannot be used.
#[derive(Debug, Error)]
pub enum RecordError {
    #[error("it is not a deployment record: {0}")]
    Form(#[from] serde_json::Error),
    #[error("it is of version {0}, and this program supports version {TERMS_VERSION}")]
    Version(u64),
    #[error("its chain id is not a number between 1 and 2^53 - 1")]
    Chain,
}

/// A deployment as stored in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeploymentRecord {
    version: u64,
    /// Absent in records of older releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<DeploymentMode>,
    chain_id: u64,
    escrow: Address,
    settler: Address,
    attester_registry: Address,
    deposit_factory: Address,
    deposit_init_code_hash: B256,
    permit2: Option<Address>,
    min_grace_seconds: u64,
    transfers: bool,
    from_block: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hub: Option<HubRecord>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HubRecord {
    intent_book: Address,
    vault_factory: Address,
    vaults: Vec<VaultRecord>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct VaultRecord {
    vault: Address,
    asset: Address,
    name: String,
    symbol: String,
    decimals: u8,
}

impl DeploymentRecord {
    /// Reads what [`DeploymentRecord::to_json`] wrote, and what the deployment is for.
    pub fn parse(json: &str) -> Result<(Deployment, Option<DeploymentMode>), RecordError> {
        let record: Self = serde_json::from_str(json)?;
        if record.version != TERMS_VERSION {
            return Err(RecordError::Version(record.version));
        }
        let deployment = Deployment {
            chain: ChainId::new(record.chain_id).ok_or(RecordError::Chain)?,
            escrow: record.escrow,
            settler: record.settler,
            registry: record.attester_registry,
            deposit_factory: record.deposit_factory,
            deposit_code_hash: record.deposit_init_code_hash,
            permit2: record.permit2,
            min_grace: record.min_grace_seconds,
            transfers: record.transfers,
            from_block: record.from_block,
            hub: record.hub.map(HubRecord::into_deployment),
        };
        Ok((deployment, record.mode))
    }

    /// The record as readable JSON.
    pub fn to_json(deployment: &Deployment, mode: DeploymentMode) -> Result<String, RecordError> {
        let record = Self {
            version: TERMS_VERSION,
            mode: Some(mode),
            chain_id: deployment.chain.get(),
            escrow: deployment.escrow,
            settler: deployment.settler,
            attester_registry: deployment.registry,
            deposit_factory: deployment.deposit_factory,
            deposit_init_code_hash: deployment.deposit_code_hash,
            permit2: deployment.permit2,
            min_grace_seconds: deployment.min_grace,
            transfers: deployment.transfers,
            from_block: deployment.from_block,
            hub: deployment.hub.as_ref().map(HubRecord::new),
        };
        Ok(serde_json::to_string_pretty(&record)? + "\n")
    }
}

impl HubRecord {
    fn new(hub: &HubDeployment) -> Self {
        let record = |vault: &VaultDeployment| VaultRecord {
            vault: vault.vault,
            asset: vault.asset,
            name: vault.name.clone(),
            symbol: vault.symbol.clone(),
            decimals: vault.decimals,
        };
        Self {
            intent_book: hub.intent_book,
            vault_factory: hub.vault_factory,
            vaults: hub.vaults.iter().map(record).collect(),
        }
    }

    fn into_deployment(self) -> HubDeployment {
        let vault = |record: VaultRecord| VaultDeployment {
            vault: record.vault,
            asset: record.asset,
            name: record.name,
            symbol: record.symbol,
            decimals: record.decimals,
        };
        HubDeployment {
            intent_book: self.intent_book,
            vault_factory: self.vault_factory,
            vaults: self.vaults.into_iter().map(vault).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_round_trips_and_rejects_unknown_fields_and_versions() {
        let deployment = Deployment {
            chain: ChainId::new(4_278_608).unwrap(),
            escrow: Address::repeat_byte(1),
            settler: Address::repeat_byte(2),
            registry: Address::repeat_byte(3),
            deposit_factory: Address::repeat_byte(4),
            deposit_code_hash: B256::repeat_byte(5),
            permit2: None,
            min_grace: 60,
            transfers: true,
            from_block: 7,
            hub: Some(HubDeployment {
                intent_book: Address::repeat_byte(6),
                vault_factory: Address::repeat_byte(7),
                vaults: vec![VaultDeployment {
                    vault: Address::repeat_byte(8),
                    asset: Address::repeat_byte(9),
                    name: "Causeway USDC Vault".to_owned(),
                    symbol: "cwUSDC".to_owned(),
                    decimals: 12,
                }],
            }),
        };
        let mode = DeploymentMode::Production;
        let json = DeploymentRecord::to_json(&deployment, mode).unwrap();
        assert_eq!(DeploymentRecord::parse(&json).unwrap(), (deployment.clone(), Some(mode)));
        let unnamed = json.replacen("  \"mode\": \"production\",\n", "", 1);
        assert_eq!(DeploymentRecord::parse(&unnamed).unwrap(), (deployment, None));
        let older = json.replacen("\"version\": 2", "\"version\": 1", 1);
        assert!(matches!(DeploymentRecord::parse(&older), Err(RecordError::Version(1))));
        let odd = json.replacen("\"escrow\"", "\"escrov\"", 1);
        assert!(DeploymentRecord::parse(&odd).unwrap_err().to_string().contains("escrov"));
    }
}
