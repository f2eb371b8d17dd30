//! Deploys our contracts at the same addresses on every chain and records those addresses.

mod permit2;
mod plan;
mod record;
mod run;
mod runtime_code;
mod verify;

pub use plan::{CREATE2_DEPLOYER, DeployTerms, HUB_CHAIN, Plan, PlanError, Step, VaultAsset};
pub use record::{DeploymentRecord, RecordError};
pub use run::{DeployError, Deployed, deploy, inspect};
pub use verify::VerifyError;
