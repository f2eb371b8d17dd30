use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::ports::ChainError;
use serde::Deserialize;
use serde_json::{Value, json};

use super::words::{explain_with_logs, refusal};
use crate::commitment::{Commitment, Contextual};
use crate::program::Refusal;
use crate::rpc::{Call, SolanaRpc};

/// What a transaction would do if it landed now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// Why it would fail, in words for a person; `None` if it would not.
    pub failure: Option<String>,
    /// Why the escrow program refused it, if it was that.
    pub refusal: Option<Refusal>,
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
}

impl SolanaRpc {
    /// Plays a transaction, signed or not, against the newest confirmed state, with a fresh blockhash.
    pub async fn simulate(&self, wire: &[u8]) -> Result<Simulation, ChainError> {
        let options = json!({
            "encoding": "base64",
            "commitment": Commitment::Confirmed,
            "sigVerify": false,
            "replaceRecentBlockhash": true,
        });
        let call = Call { method: "simulateTransaction", params: json!([STANDARD.encode(wire), options]) };
        let simulation = self.ask(call, |answer: Contextual<WireSimulation>| {
            let logs = answer.value.logs.unwrap_or_default();
            let failure = answer.value.err.as_ref().map(|err| explain_with_logs(err, &logs));
            let refusal = answer.value.err.as_ref().and_then(refusal);
            Ok(Simulation {
                failure,
                refusal,
                compute_units: answer.value.units_consumed.unwrap_or_default(),
                logs,
            })
        });
        Ok(simulation.await?)
    }
}
