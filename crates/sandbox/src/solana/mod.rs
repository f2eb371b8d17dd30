//! A Solana chain inside the process.

mod config;
mod control;
mod faults;
mod genesis;
mod journal;
mod ledger;
mod node;
mod programs;
mod rpc;
mod thread;
mod wallets;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use causeway_domain::{ChainId, SOLANA_CHAIN_ID};
use parking_lot::Mutex;
use serde_json::Value;
pub use solana_account::Account;
pub use solana_address::Address;
pub use solana_keypair::Keypair;
pub use solana_signature::Signature;
pub use solana_signer::Signer;

pub use config::{SolanaConfig, SolanaError};
pub use faults::{FaultSchedule, RpcFaults};
pub use genesis::{
    ESCROW_CODE, ESCROW_PROGRAM, EXCHANGE_CODE, Genesis, MintSpec, TokenProgram, sandbox_genesis,
};
pub use programs::{ASSOCIATED_TOKEN, MEMO, NATIVE_MINT, TOKEN, TOKEN_2022};
pub use wallets::{TEST_MNEMONIC, TEST_WALLETS, test_wallet, test_wallets};

use crate::jsonrpc::{self, FIRST_NODE, Methods, RpcError};
use thread::NodeThread;

/// A running Solana chain; clones share it, and it ends with the last one.
#[derive(Clone, Debug)]
pub struct SolanaChain {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    thread: NodeThread,
    /// The faults of each node that has any.
    faults: Mutex<BTreeMap<u8, RpcFaults>>,
}

impl SolanaChain {
    /// Resumes the chain of the data folder, or starts one from the genesis.
    pub fn open(config: SolanaConfig, genesis: Genesis) -> Result<Self, SolanaError> {
        let thread = NodeThread::start(config, genesis)?;
        Ok(Self { inner: Arc::new(Inner { thread, faults: Mutex::default() }) })
    }

    /// The id under which the API lists this chain.
    pub fn chain_id(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    /// Answers a JSON-RPC body, single or batch.
    pub async fn rpc(&self, body: &[u8]) -> Vec<u8> {
        self.rpc_at(FIRST_NODE, body).await
    }

    /// The same through one of the chain's nodes, which has its own faults.
    pub async fn rpc_at(&self, node: u8, body: &[u8]) -> Vec<u8> {
        jsonrpc::answer(&SolanaNode { chain: self, node }, body).await
    }

    /// Writes everything to disk and ends the chain.
    pub async fn stop(&self) -> Result<(), SolanaError> {
        self.inner.thread.run(node::Node::stop).await
    }
}

impl Methods for SolanaChain {
    async fn call(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        SolanaNode { chain: self, node: FIRST_NODE }.call(method, params).await
    }
}

/// One node of the chain.
#[derive(Clone, Copy, Debug)]
struct SolanaNode<'a> {
    chain: &'a SolanaChain,
    node: u8,
}

impl Methods for SolanaNode<'_> {
    async fn call(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        let (inner, by) = (&self.chain.inner, self.node);
        let (delay, fails, response_lost, lies) = {
            let mut faults = inner.faults.lock();
            faults.get_mut(&by).map_or((Duration::ZERO, false, false, None), |faults| {
                let fails = faults.failing.should_fail();
                (faults.delay, fails, faults.response_lost.should_fail(), faults.lies.clone())
            })
        };
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        if fails {
            return Err(faults::failed());
        }
        if let Some(refusal) = lies.as_ref().and_then(|lies| lies.refusal(method)) {
            return Err(refusal);
        }
        let asked = lies.map(|lies| (lies, params.clone()));
        let name = method.to_owned();
        let answer = inner.thread.run(move |node| rpc::call(node, by, &name, params)).await;
        match answer {
            Ok(_) if response_lost => Err(faults::failed()),
            Ok(answer) => match asked {
                Some((lies, asked)) => answer.map(|truth| lies.falsify(method, &asked, truth, |_| None)),
                None => answer,
            },
            Err(_) => Err(faults::failed()),
        }
    }
}
