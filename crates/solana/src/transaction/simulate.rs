use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::ports::ChainError;
use serde::Deserialize;
use serde_json::{Value, json};
use solana_address::Address;

use super::error_text::{escrow_error, explain_with_logs};
use crate::account::{Account, WireAccount};
use crate::commitment::{Commitment, Contextual};
use crate::program::EscrowError;
use crate::rpc::{Call, SolanaRpc};

/// The result of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// Why it would fail; `None` if it would not.
    pub failure: Option<String>,
    /// The error of the escrow program, if it is the cause.
    pub escrow_error: Option<EscrowError>,
    pub compute_units: u64,
    pub logs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireSimulation {
    err: Option<Value>,
    #[serde(default)]
    logs: Option<Vec<String>>,
    #[serde(default)]
    units_consumed: Option<u64>,
    #[serde(default)]
    accounts: Option<Vec<Option<WireAccount>>>,
}

impl SolanaRpc {
    /// Simulates a transaction, signed or not, against the newest confirmed state, with a fresh blockhash.
    pub async fn simulate(&self, wire: &[u8]) -> Result<Simulation, ChainError> {
        self.simulate_with(wire, &[]).await.map(|(simulation, _)| simulation)
    }

    /// The same, with these of its accounts as they are afterwards; without any where it fails.
    pub(crate) async fn simulate_with(
        &self,
        wire: &[u8],
        accounts: &[Address],
    ) -> Result<(Simulation, Vec<Option<Account>>), ChainError> {
        let mut options = json!({
            "encoding": "base64",
            "commitment": Commitment::Confirmed,
            "sigVerify": false,
            "replaceRecentBlockhash": true,
        });
        if !accounts.is_empty() {
            let addresses: Vec<String> = accounts.iter().map(ToString::to_string).collect();
            let wanted = json!({ "encoding": "base64", "addresses": addresses });
            options.as_object_mut().into_iter().for_each(|options| {
                options.insert("accounts".to_owned(), wanted.clone());
            });
        }
        let call = Call { method: "simulateTransaction", params: json!([STANDARD.encode(wire), options]) };
        let simulation = self.request(call, |answer: Contextual<WireSimulation>| {
            let shown = answer.value.accounts.unwrap_or_default();
            if answer.value.err.is_none() && shown.len() != accounts.len() {
                return Err(format!("{} accounts instead of {}", shown.len(), accounts.len()));
            }
            let shown: Result<Vec<_>, _> =
                shown.into_iter().map(|one| one.map(Account::try_from).transpose()).collect();
            let logs = answer.value.logs.unwrap_or_default();
            let failure = answer.value.err.as_ref().map(|err| explain_with_logs(err, &logs));
            let escrow_error = answer.value.err.as_ref().and_then(escrow_error);
            let compute_units = answer.value.units_consumed.unwrap_or_default();
            Ok((Simulation { failure, escrow_error, compute_units, logs }, shown?))
        });
        Ok(simulation.await?)
    }
}
