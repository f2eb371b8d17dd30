use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use causeway_domain::ChainId;
use causeway_domain::ports::{SendPurpose, WalletAction, WalletTransaction};
use causeway_wire::{Approval, SolanaApproval, WalletApproval, WalletRequest};
use serde_json::{Value, json};

/// Maps wallet actions to the requests that wallets of the chain family accept.
pub(super) fn map_approvals(chain: ChainId, actions: &[WalletAction]) -> Vec<Approval> {
    actions.iter().map(|action| map_action(chain, action)).collect()
}

fn map_action(chain: ChainId, action: &WalletAction) -> Approval {
    match action {
        WalletAction::SwitchChain(chain) => Approval::Eip1193(WalletApproval {
            request: request("wallet_switchEthereumChain", json!({ "chainId": hex(chain.get()) })),
            wait_for_receipt: None,
            deposit: None,
        }),
        WalletAction::SignSolana { transaction } => {
            Approval::Solana(SolanaApproval { transaction: BASE64.encode(transaction), deposit: Some(true) })
        }
        WalletAction::Send { purpose, transaction } => {
            let is_deposit = *purpose == SendPurpose::Deposit;
            Approval::Eip1193(WalletApproval {
                request: request("eth_sendTransaction", map_transaction(chain, transaction)),
                // The deposit depends on the transactions before it.
                wait_for_receipt: (!is_deposit).then_some(true),
                deposit: is_deposit.then_some(true),
            })
        }
    }
}

fn request(method: &str, params: Value) -> WalletRequest {
    WalletRequest { method: method.to_owned(), params: vec![params] }
}

fn map_transaction(chain: ChainId, transaction: &WalletTransaction) -> Value {
    let mut object = json!({
        "from": transaction.from.to_string(),
        "to": transaction.to.to_string(),
        "data": transaction.data.to_string(),
        "value": format!("{:#x}", transaction.value),
        "chainId": hex(chain.get()),
    });
    if let (Some(gas), Some(object)) = (transaction.gas, object.as_object_mut()) {
        object.insert("gas".to_owned(), hex(gas).into());
    }
    object
}

/// A number in the hex format of JSON-RPC.
fn hex(number: u64) -> String {
    format!("{number:#x}")
}
