//! Payments to the programs of liquidity providers: what a wallet is asked to sign, and how what it signed is recognised.

mod effects;
mod recognize;
mod tables;

use std::collections::HashMap;

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{
    BroadcastError, ChainError, DepositCheckError, DepositError, DepositMismatch, DepositTxStatus,
    ProviderPayment, ProviderPaymentError, ProviderPayments, SolanaCall, WalletAction, packed_data,
};
use causeway_domain::{Address as AnyAddress, ChainId, RawAmount, SOLANA_CHAIN_ID, TokenId};
use solana_address::Address;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::AddressLookupTableAccount;

use super::deposits::{NOT_A_SIGNATURE, broadcast, network_fee, priority_price, with_margin};
use super::mint::check_mint;
use crate::program::{ASSOCIATED_TOKEN_PROGRAM, associated_token_account};
use crate::{
    Account, Commitment, SolanaRpc, TokenAccount, UnsignedTransaction, compute_unit_limit, compute_unit_price,
};
use effects::Swap;

/// The most that a transaction of Solana may compute.
const MAX_COMPUTE_UNITS: u32 = 1_400_000;

/// How often effects are compared: what the payer does meanwhile may look like an effect.
const LOOKS: usize = 2;

/// Checks payments to the programs of liquidity providers on Solana. It needs no program of ours there.
#[derive(Clone, Debug)]
pub struct SolanaProviderPayments {
    rpc: SolanaRpc,
}

/// What a provider's call needs besides its instructions.
struct Prepared {
    swap: Swap,
    instructions: Vec<Instruction>,
    tables: Vec<AddressLookupTableAccount>,
    /// All accounts that it can change.
    writable: Vec<Address>,
}

impl SolanaProviderPayments {
    pub const fn new(rpc: SolanaRpc) -> Self {
        Self { rpc }
    }

    /// Reads mints, token accounts and lookup tables.
    async fn prepare(&self, payment: &ProviderPayment) -> Result<Prepared, ProviderPaymentError> {
        let effects = |words: &str| ProviderPaymentError::Effects(words.to_owned());
        let call = SolanaCall::from_bytes(&payment.transaction.data)
            .ok_or_else(|| effects("its transaction cannot be read"))?;
        let (payer, target) = (solana(payment.payer)?, solana(payment.transaction.target)?);
        let instructions = instructions(&call);
        check_programs(&instructions, payer, target)?;
        let output = payment.output.ok_or_else(|| {
            DepositError::WouldFail("a call on Solana is checked only where it pays a token there".to_owned())
        })?;
        let (token, recipient, least) = output;
        let (mint_in, mint_out, recipient) = (mint(payment.token)?, mint(token)?, solana(recipient)?);
        let tables: Vec<Address> = call.tables.iter().map(|bytes| Address::new_from_array(*bytes)).collect();
        let asked = [&[mint_in, mint_out], &tables[..]].concat();
        let read = self.rpc.accounts(&asked, Commitment::Confirmed, None).await;
        let mut read = read.map_err(DepositError::from)?.value.into_iter();
        let mut account_of = |owner: Address, mint: Address| {
            let found = read.next().flatten();
            let supported = found.as_ref().ok_or(super::MintError::Missing).and_then(check_mint);
            let supported = supported.map_err(|why| {
                DepositError::WouldFail(format!("the token {mint} cannot be swapped: {why}"))
            })?;
            Ok::<_, DepositError>(associated_token_account(&owner, &mint, &supported.token_program))
        };
        let source = account_of(payer, mint_in)?;
        let destination = account_of(recipient, mint_out)?;
        let tables = tables
            .iter()
            .zip(read)
            .map(|(address, account)| tables::read(*address, account.as_ref()))
            .collect::<Result<_, _>>()
            .map_err(DepositError::WouldFail)?;
        let amount = raw_u64(payment.amount)?;
        let swap = Swap { payer, source, amount, destination, recipient, least: raw_u64(least)? };
        let accounts = instructions.iter().flat_map(|one| &one.accounts).filter(|one| one.is_writable);
        let mut writable: Vec<Address> = [payer, source, destination].to_vec();
        for account in accounts {
            if !writable.contains(&account.pubkey) {
                writable.push(account.pubkey);
            }
        }
        Ok(Prepared { swap, instructions, tables, writable })
    }

    /// The transaction, once its simulation shows what the route says and nothing else.
    async fn simulated(&self, prepared: &Prepared) -> Result<Vec<u8>, ProviderPaymentError> {
        let Prepared { swap, writable, .. } = prepared;
        let price = priority_price(&self.rpc, &writable[..3], MAX_COMPUTE_UNITS).await;
        let read = self.rpc.accounts(writable, Commitment::Confirmed, None).await;
        let before = by_address(writable, read.map_err(DepositError::from)?.value);
        swap.check_balance(&before)?;
        let recent = self.rpc.recent_blockhash().await.map_err(DepositError::from)?;
        let build = |units: u32| {
            let budget = [compute_unit_limit(units), compute_unit_price(price)];
            let all: Vec<Instruction> =
                budget.into_iter().chain(prepared.instructions.iter().cloned()).collect();
            let built = UnsignedTransaction::build(&swap.payer, &all, &prepared.tables, recent);
            built.map(|built| built.to_wire()).map_err(|error| DepositError::WouldFail(error.to_string()))
        };
        let trial = build(MAX_COMPUTE_UNITS)?;
        let (simulation, after) =
            self.rpc.simulate_with(&trial, writable).await.map_err(DepositError::from)?;
        if let Some(reason) = simulation.failure {
            return Err(DepositError::WouldFail(reason).into());
        }
        let after = by_address(writable, after);
        let fee = network_fee(price, MAX_COMPUTE_UNITS);
        swap.compare(&before, &after, fee).map_err(ProviderPaymentError::Effects)?;
        Ok(build(with_margin(simulation.compute_units, MAX_COMPUTE_UNITS))?)
    }
}

#[async_trait]
impl ProviderPayments for SolanaProviderPayments {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn actions(&self, payment: &ProviderPayment) -> Result<Vec<WalletAction>, ProviderPaymentError> {
        let prepared = self.prepare(payment).await?;
        let mut looks = 1;
        let transaction = loop {
            match self.simulated(&prepared).await {
                Err(ProviderPaymentError::Effects(_)) if looks < LOOKS => looks += 1,
                shown => break shown?,
            }
        };
        Ok(vec![WalletAction::SignSolana { transaction }])
    }

    async fn check_tx(
        &self,
        payer: AnyAddress,
        built: &[&[u8]],
        tx: &str,
    ) -> Result<DepositTxStatus, ChainError> {
        let Ok(signature) = tx.parse() else {
            return Ok(DepositTxStatus::Mismatch(NOT_A_SIGNATURE.to_owned()));
        };
        let Some(landed) = recognize::landed(&self.rpc, signature).await? else {
            return Ok(DepositTxStatus::NotFound);
        };
        if landed.failed {
            return Ok(DepositTxStatus::Mismatch("that transaction failed".to_owned()));
        }
        let seen = recognize::check(&landed.message, &landed.loaded, payer, &calls(built));
        Ok(seen.map_or_else(DepositTxStatus::Mismatch, |()| DepositTxStatus::Matches))
    }

    async fn check_signed(
        &self,
        payer: AnyAddress,
        built: &[&[u8]],
        raw: &[u8],
    ) -> Result<String, DepositCheckError> {
        let (signature, message) = recognize::signed(raw, payer).map_err(DepositMismatch)?;
        let loaded = tables::load(&self.rpc, &message).await?;
        recognize::check(&message, &loaded, payer, &calls(built)).map_err(DepositMismatch)?;
        Ok(signature.to_string())
    }

    async fn broadcast(&self, raw: &[u8]) -> Result<(), BroadcastError> {
        broadcast(&self.rpc, raw).await
    }
}

/// The calls that were built, as orders keep them.
fn calls(built: &[&[u8]]) -> Vec<SolanaCall> {
    built.iter().filter_map(|packed| SolanaCall::from_bytes(packed_data(packed))).collect()
}

fn instructions(call: &SolanaCall) -> Vec<Instruction> {
    let instruction = |one: &causeway_domain::ports::SolanaInstruction| Instruction {
        program_id: Address::new_from_array(one.program),
        accounts: one
            .accounts
            .iter()
            .map(|account| AccountMeta {
                pubkey: Address::new_from_array(account.address),
                is_signer: account.is_signer,
                is_writable: account.is_writable,
            })
            .collect(),
        data: one.data.clone(),
    };
    call.instructions.iter().map(instruction).collect()
}

/// Only the payer signs, and only the pinned program and the one that creates token accounts are called.
fn check_programs(
    instructions: &[Instruction],
    payer: Address,
    target: Address,
) -> Result<(), ProviderPaymentError> {
    let effects = |words: String| Err(ProviderPaymentError::Effects(words));
    for instruction in instructions {
        let program = instruction.program_id;
        if program != target && program != ASSOCIATED_TOKEN_PROGRAM {
            return effects(format!("its transaction calls {program}, which is not pinned"));
        }
        let signs = instruction.accounts.iter().find(|one| one.is_signer && one.pubkey != payer);
        if let Some(other) = signs {
            return effects(format!("its transaction wants a signature of {}", other.pubkey));
        }
    }
    if instructions.iter().filter(|one| one.program_id == target).count() != 1 {
        return effects("its transaction does not call the pinned program once".to_owned());
    }
    Ok(())
}

fn by_address(addresses: &[Address], accounts: Vec<Option<Account>>) -> HashMap<Address, Account> {
    addresses.iter().zip(accounts).filter_map(|(address, account)| Some((*address, account?))).collect()
}

fn solana(address: AnyAddress) -> Result<Address, DepositError> {
    match address {
        AnyAddress::Solana(bytes) => Ok(bytes.into()),
        _ => Err(DepositError::WouldFail(format!("{address} is not an address of this chain"))),
    }
}

fn mint(token: TokenId) -> Result<Address, DepositError> {
    if token.is_native() || token.chain() != SOLANA_CHAIN_ID {
        return Err(DepositError::WouldFail(format!("{token} is not a token of this chain")));
    }
    solana(token.address())
}

fn raw_u64(amount: RawAmount) -> Result<u64, DepositError> {
    let fits = u64::try_from(amount.get());
    fits.map_err(|_| DepositError::WouldFail("the amount does not fit into 64 bits".to_owned()))
}

fn raw(amount: u64) -> RawAmount {
    RawAmount::new(U256::from(amount))
}

/// The token account in those bytes, of one of the token programs.
fn token_account(account: &Account) -> Option<TokenAccount> {
    let is_token = [crate::TOKEN_PROGRAM, crate::TOKEN_2022_PROGRAM].contains(&account.owner);
    TokenAccount::parse(&account.data).ok().filter(|_| is_token)
}
