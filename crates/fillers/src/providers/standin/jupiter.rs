use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;

use alloy_primitives::{Address, U256};
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use causeway_domain::ports::{SolanaAccount, SolanaInstruction};
use serde_json::{Value, json};
use solana_address::Address as Key;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::backend::{Backend, Mischief};
use super::money::PlayMoney;
use crate::providers::jupiter::calldata::{Swap, instruction};
use crate::providers::jupiter::mapping::{ASSOCIATED_TOKEN, CREATE_IDEMPOTENT, token_account};

const TOKEN_PROGRAM: Key = Key::from_str_const("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
const SYSTEM_PROGRAM: [u8; 32] = [0; 32];

/// The seed of the account that holds what the sandbox's exchange pays.
const AUTHORITY: &[u8] = b"authority";

/// What the exchange does besides: nothing, or with another account of the payer.
const NOTHING: u8 = 0;
const APPROVES: u8 = 1;
const MOVES: u8 = 2;

/// A server that answers as Jupiter's documentation says, for swaps through the sandbox's play exchange on Solana. It stops when
/// dropped.
#[derive(Debug)]
pub struct JupiterStandIn {
    /// The base of its API, for the configuration.
    pub url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    backend: Backend,
    program: Key,
    chain: u64,
}

impl Drop for JupiterStandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The name of a mint in the backend, which knows addresses of EVM chains only.
fn named(mint: &[u8; 32]) -> Address {
    Address::from_word((*mint).into())
}

impl JupiterStandIn {
    /// Starts it on a local port. The program is the play exchange, whose authority holds the tokens; `chain` is the number of
    /// Solana.
    pub async fn start(
        program: [u8; 32],
        chain: u64,
        tokens: impl IntoIterator<Item = ([u8; 32], u8, &'static str)>,
        money: Arc<PlayMoney>,
    ) -> io::Result<Self> {
        let tokens =
            tokens.into_iter().map(|(mint, decimals, symbol)| (chain, named(&mint), decimals, symbol));
        let backend = Backend::new(Address::ZERO, tokens, money);
        let shared = Arc::new(Shared { backend, program: Key::new_from_array(program), chain });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let router = Router::new().route("/build", get(build)).with_state(Arc::clone(&shared));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::warn!(%error, "stand-in stopped");
            }
        });
        Ok(Self { url, shared, task })
    }

    pub fn misbehave(&self, mischief: Mischief) {
        self.shared.backend.misbehave(mischief);
    }

    /// How many quotes it was asked for.
    pub fn quotes(&self) -> u64 {
        self.shared.backend.quotes()
    }

    /// Who holds what the exchange of this program pays.
    pub fn authority(program: [u8; 32]) -> [u8; 32] {
        Key::find_program_address(&[AUTHORITY], &Key::new_from_array(program)).0.to_bytes()
    }
}

fn error(status: StatusCode, message: &str) -> Response {
    (status, axum::Json(json!({ "error": message }))).into_response()
}

/// Another key of Solana for the address that a misconduct names.
fn other_key(address: Address) -> [u8; 32] {
    let mut key = [0x77; 32];
    key[..20].copy_from_slice(address.as_slice());
    key
}

impl Shared {
    /// The answer to a request; `None` for what the stand-in does not trade.
    fn answer(&self, params: &HashMap<String, String>) -> Option<Value> {
        let text = |name: &str| params.get(name).map(String::as_str);
        let key = |name: &str| text(name)?.parse::<Key>().ok().map(|key| key.to_bytes());
        let (input, output, taker) = (key("inputMint")?, key("outputMint")?, key("taker")?);
        let amount: u64 = text("amount")?.parse().ok()?;
        let slippage: u16 = text("slippageBps").unwrap_or("50").parse().ok()?;
        let pair = [&input, &output].map(|mint| (self.chain, named(mint)));
        let whole = self.backend.output(pair[0], pair[1], U256::from(amount))?;
        let quoted = u64::try_from(whole).ok()?;
        let mischief = self.backend.mischief();

        let account = |owner: [u8; 32], mint: [u8; 32]| {
            token_account(causeway_domain::Address::Solana(owner), mint, TOKEN_PROGRAM).ok()
        };
        let payee = if let Mischief::OtherRecipient(other) = mischief { other_key(other) } else { taker };
        let signer = if let Mischief::OtherSpender(other) = mischief { other_key(other) } else { taker };
        let swap = Swap {
            payer: Some(signer),
            source: Some(account(taker, input)?),
            destination: Some(account(payee, output)?),
            input: Some(input),
            output: Some(if mischief == Mischief::OtherOutput { input } else { output }),
            input_program: Some(TOKEN_PROGRAM.to_bytes()),
            output_program: Some(TOKEN_PROGRAM.to_bytes()),
            amount,
            quoted,
            slippage_bps: slippage,
            fee_bps: 0,
            surplus_bps: 0,
        };
        let least = swap.least();
        let program = if let Mischief::OtherTarget(other) = mischief {
            other_key(other)
        } else {
            self.program.to_bytes()
        };
        let (authority, bump) = Key::find_program_address(&[AUTHORITY], &self.program);
        let authority = authority.to_bytes();
        let entry =
            |address: [u8; 32], is_writable: bool| SolanaAccount { address, is_signer: false, is_writable };
        let mut more = vec![
            entry(authority, false),
            entry(account(authority, input)?, true),
            entry(account(authority, output)?, true),
        ];
        let mut also = NOTHING;
        match mischief {
            Mischief::UnboundedAllowance => {
                also = APPROVES;
                more.push(entry(authority, false));
            }
            // Besides the input it takes of the output, which the payer has as well.
            Mischief::TakesMore(_) => {
                also = MOVES;
                more.extend([entry(account(taker, output)?, true), entry(account(authority, output)?, true)]);
            }
            _ => {}
        }
        let pays = if mischief == Mischief::PaysLess { quoted / 2 } else { quoted };
        let mut plan = 1_u32.to_le_bytes().to_vec();
        plan.extend(amount.to_le_bytes());
        plan.extend(pays.to_le_bytes());
        plan.extend([bump, also]);
        plan.extend(pays.saturating_add(1).to_le_bytes());
        let swap = instruction(&swap, program, &more, &plan);
        let setup = SolanaInstruction {
            program: ASSOCIATED_TOKEN.to_bytes(),
            accounts: vec![
                SolanaAccount { address: taker, is_signer: true, is_writable: true },
                entry(account(payee, output)?, true),
                entry(payee, false),
                entry(output, false),
                entry(SYSTEM_PROGRAM, false),
                entry(TOKEN_PROGRAM.to_bytes(), false),
            ],
            data: CREATE_IDEMPOTENT.to_vec(),
        };
        let bought = if mischief == Mischief::OtherChain { input } else { output };
        let shown = |key: [u8; 32]| Key::new_from_array(key).to_string();
        Some(json!({
            "inputMint": shown(input), "outputMint": shown(bought), "inAmount": amount.to_string(),
            "outAmount": quoted.to_string(), "otherAmountThreshold": least.to_string(), "swapMode": "ExactIn",
            "slippageBps": slippage, "priceImpactPct": "0",
            "routePlan": [{
                "swapInfo": {
                    "ammKey": shown(program), "label": "Play", "inputMint": shown(input), "outputMint": shown(output),
                    "inAmount": amount.to_string(), "outAmount": quoted.to_string(),
                },
                "percent": 100, "bps": 10_000,
            }],
            "computeBudgetInstructions": [], "setupInstructions": [written(&setup)], "swapInstruction": written(&swap),
            "cleanupInstruction": null, "otherInstructions": [], "tipInstruction": null,
            "addressesByLookupTableAddress": null,
            "blockhashWithMetadata": { "blockhash": [0], "lastValidBlockHeight": 0 },
        }))
    }
}

fn written(instruction: &SolanaInstruction) -> Value {
    let shown = |key: [u8; 32]| Key::new_from_array(key).to_string();
    let accounts: Vec<Value> = instruction
        .accounts
        .iter()
        .map(|account| {
            json!({
                "pubkey": shown(account.address), "isWritable": account.is_writable, "isSigner": account.is_signer,
            })
        })
        .collect();
    json!({
        "programId": shown(instruction.program), "accounts": accounts, "data": BASE64.encode(&instruction.data),
    })
}

async fn build(State(shared): State<Arc<Shared>>, Query(params): Query<HashMap<String, String>>) -> Response {
    shared.backend.count_quote();
    if let Some(answer) = shared.backend.outage(error).await {
        return answer;
    }
    let none = shared.backend.mischief() == Mischief::NoRoute;
    match shared.answer(&params).filter(|_| !none) {
        Some(answer) => axum::Json(answer).into_response(),
        None => error(StatusCode::BAD_REQUEST, "No routes found"),
    }
}
