use std::collections::HashMap;

use alloy_primitives::{B256, Bytes, hex};
use serde::Deserialize;

use super::error::GenesisError;

/// The runtime code of every contract that a chain starts with.
#[derive(Clone, Debug)]
pub(super) struct Codes {
    pub(super) play_token: Bytes,
    pub(super) quirky_token: Bytes,
    pub(super) taxed_token: Bytes,
    pub(super) wrapped_native: Bytes,
    pub(super) multicall3: Bytes,
    pub(super) create2_deployer: Bytes,
    pub(super) permit2: Artifact,
}

/// A compiled contract from `contracts/evm`.
#[derive(Clone, Debug)]
pub(super) struct Artifact {
    name: &'static str,
    pub(super) file: File,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File {
    deployed_bytecode: String,
    #[serde(default)]
    immutable_references: HashMap<String, Vec<Span>>,
    #[cfg(test)]
    pub(super) bytecode: Option<String>,
    #[cfg(test)]
    #[serde(default)]
    pub(super) storage_slots: HashMap<String, u64>,
}

#[derive(Clone, Debug, Deserialize)]
struct Span {
    start: usize,
    length: usize,
}

macro_rules! source {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../../contracts/evm/artifacts/", $name, ".json")))
    };
}

/// A contract's name and its file.
type Source = (&'static str, &'static str);

pub(super) const PLAY_TOKEN: Source = source!("PlayToken");
pub(super) const QUIRKY_TOKEN: Source = source!("QuirkyToken");
pub(super) const TAXED_TOKEN: Source = source!("TaxedToken");
pub(super) const WRAPPED_NATIVE: Source = source!("WrappedNative");
pub(super) const PERMIT2: Source = source!("Permit2");
const MULTICALL3: Source = source!("Multicall3");
const CREATE2_DEPLOYER: Source = source!("Create2Deployer");

impl Codes {
    pub(super) fn load() -> Result<Self, GenesisError> {
        Ok(Self {
            play_token: Artifact::read(PLAY_TOKEN)?.code()?,
            quirky_token: Artifact::read(QUIRKY_TOKEN)?.code()?,
            taxed_token: Artifact::read(TAXED_TOKEN)?.code()?,
            wrapped_native: Artifact::read(WRAPPED_NATIVE)?.code()?,
            multicall3: Artifact::read(MULTICALL3)?.code()?,
            create2_deployer: Artifact::read(CREATE2_DEPLOYER)?.code()?,
            permit2: Artifact::read(PERMIT2)?,
        })
    }
}

impl Artifact {
    pub(super) fn read((name, json): Source) -> Result<Self, GenesisError> {
        match serde_json::from_str(json) {
            Ok(file) => Ok(Self { name, file }),
            Err(error) => Err(GenesisError::Artifact { name, reason: error.to_string() }),
        }
    }

    /// The code of a contract that has no immutables.
    pub(super) fn code(&self) -> Result<Bytes, GenesisError> {
        self.code_with(&[])
    }

    /// The code with its immutables filled in, as the constructor would leave it.
    pub(super) fn code_with(&self, immutables: &[(&str, B256)]) -> Result<Bytes, GenesisError> {
        let mut code = hex::decode(&self.file.deployed_bytecode)
            .map_err(|error| self.artifact_error(error.to_string()))?;
        if immutables.len() != self.file.immutable_references.len() {
            return Err(self.artifact_error("unexpected immutables".to_owned()));
        }
        for (name, value) in immutables {
            let spans = self.file.immutable_references.get(*name);
            for Span { start, length } in
                spans.ok_or_else(|| self.artifact_error(format!("no immutable {name}")))?
            {
                let hole = code.get_mut(*start..).and_then(|rest| rest.first_chunk_mut::<32>());
                match hole {
                    Some(hole) if *length == hole.len() => *hole = value.0,
                    _ => return Err(self.artifact_error(format!("immutable {name} does not fit its place"))),
                }
            }
        }
        Ok(code.into())
    }

    fn artifact_error(&self, reason: String) -> GenesisError {
        GenesisError::Artifact { name: self.name, reason }
    }
}
