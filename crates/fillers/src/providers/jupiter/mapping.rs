use std::str::FromStr as _;
use std::sync::Arc;

use alloy_primitives::U256;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use causeway_domain::ports::{
    FillerAsk, Offer, ProviderAsk, ProviderTransaction, SolanaAccount, SolanaCall, SolanaInstruction,
};
use causeway_domain::{
    Address, CustodyNotice, DepositMethod, ProviderOffer, ProviderTerms, RawAmount, TokenId,
};
use jiff::{SignedDuration, Timestamp};
use solana_address::Address as Key;

use super::TOOL;
use super::calldata::{Swap, read_swap};
use super::wire::{Build, Instruction};
use crate::providers::answers::{Unusable, amount};

/// A swap is over with the payer's own transaction.
const DURATION_SECONDS: u32 = 5;

/// How many token accounts a swap may create before it begins.
const MAX_SETUPS: usize = 4;

const TOKEN_PROGRAMS: [Key; 2] = [
    Key::from_str_const("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
    Key::from_str_const("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"),
];
pub(crate) const ASSOCIATED_TOKEN: Key = Key::from_str_const("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
/// Its instruction that creates an account unless it exists.
pub(crate) const CREATE_IDEMPOTENT: [u8; 1] = [1];

/// The offer of a build for the ask.
pub(super) fn offer(
    ask: &FillerAsk,
    build: &Build,
    notice: &Arc<CustodyNotice>,
    now: Timestamp,
    valid_for: SignedDuration,
) -> Result<(Offer, Address), Unusable> {
    let asked = ProviderAsk::to_quote(&ask.ask, TOOL);
    let transaction = transaction(&asked, build)?;
    let offer = Offer {
        exact_out: None,
        deposit_methods: vec![DepositMethod::ContractCall],
        amount_in: asked.amount_in,
        amount_out: amount("outAmount", &build.out_amount).map_err(Unusable::Wrong)?,
        min_amount_out: transaction.min_amount_out,
        expected_duration_seconds: DURATION_SECONDS,
        valid_before: now.checked_add(valid_for).unwrap_or(now),
        price_holds_until: None,
        estimated_gas: None,
        fees: Vec::new(),
        parties: None,
        filler_quote: None,
        gas_charge: None,
        provider: Some(ProviderOffer {
            terms: ProviderTerms { tool: TOOL.to_owned(), slippage: asked.slippage },
            notice: Arc::clone(notice),
            joined: None,
        }),
    };
    Ok((offer, transaction.target))
}

/// The transaction of a build, if it is the one that was asked for.
pub(super) fn transaction(ask: &ProviderAsk, build: &Build) -> Result<ProviderTransaction, Unusable> {
    let wrong = |words: String| Err(Unusable::Wrong(words));
    let taken = amount("inAmount", &build.in_amount).map_err(Unusable::Wrong)?;
    let same = [
        ("input token", is_token(&build.input_mint, ask.from)),
        ("output token", is_token(&build.output_mint, ask.to)),
        ("input", taken == ask.amount_in),
        ("kind of swap", build.swap_mode == "ExactIn"),
    ];
    if let Some((what, _)) = same.iter().find(|(_, same)| !same) {
        return wrong(format!("it quoted another {what}"));
    }
    let beside = build.cleanup_instruction.iter().chain(&build.other_instructions);
    if let Some(other) = beside.chain(&build.tip_instruction).next() {
        return wrong(format!("it adds an instruction of {} that nobody asked for", other.program_id));
    }
    let swap = instruction(&build.swap_instruction)?;
    let target = Address::Solana(swap.program);
    let Some(swapped) = read_swap(&swap) else {
        return Err(Unusable::Declined("its transaction does not say what it swaps".to_owned()));
    };
    check_swap(ask, &swapped)?;
    if build.setup_instructions.len() > MAX_SETUPS {
        return Err(Unusable::Declined("its transaction creates too many token accounts".to_owned()));
    }
    let mut instructions = Vec::new();
    for setup in &build.setup_instructions {
        let setup = instruction(setup)?;
        check_setup(ask, &setup)?;
        instructions.push(setup);
    }
    instructions.push(swap);
    let tables = build.addresses_by_lookup_table_address.iter().flat_map(|tables| tables.keys());
    let tables = tables.map(|table| key(table)).collect::<Result<Vec<_>, _>>()?;
    let data = SolanaCall { instructions, tables }.to_bytes();
    let data = data.ok_or_else(|| Unusable::Declined("its transaction is too long".to_owned()))?;
    let said = amount("otherAmountThreshold", &build.other_amount_threshold).map_err(Unusable::Wrong)?;
    Ok(ProviderTransaction {
        target,
        spender: None,
        value: U256::ZERO,
        data: data.into(),
        min_amount_out: said.min(RawAmount::new(U256::from(swapped.least()))),
        registered: None,
    })
}

/// Compares what the swap's own instruction says with what was asked.
fn check_swap(ask: &ProviderAsk, swap: &Swap) -> Result<(), Unusable> {
    let wrong = |words: String| Err(Unusable::Wrong(words));
    // Every account is at hand here, whatever a lookup table shortens later.
    let known = |key: Option<[u8; 32]>| {
        key.ok_or_else(|| Unusable::Wrong("its transaction does not name its accounts".to_owned()))
    };
    let shown = |bytes: [u8; 32]| Address::Solana(bytes);
    let (payer, input, output) = (known(swap.payer)?, known(swap.input)?, known(swap.output)?);
    if shown(payer) != ask.payer {
        return wrong(format!("its transaction is signed by {} instead of the payer", shown(payer)));
    }
    if shown(input) != ask.from.address() || U256::from(swap.amount) != ask.amount_in.get() {
        let (amount, token) = (swap.amount, shown(input));
        return wrong(format!("its transaction takes {amount} raw units of {token} instead of the input"));
    }
    if shown(output) != ask.to.address() {
        return wrong(format!("its transaction pays in {} instead of {}", shown(output), ask.to));
    }
    let programs = [known(swap.input_program)?, known(swap.output_program)?].map(Key::new_from_array);
    if let Some(other) = programs.iter().find(|program| !TOKEN_PROGRAMS.contains(program)) {
        return wrong(format!("its transaction moves tokens of the program {other}"));
    }
    let [input_program, output_program] = programs;
    let (source, destination) = (known(swap.source)?, known(swap.destination)?);
    if source != token_account(ask.payer, input, input_program)? {
        return wrong(format!("its transaction takes from {} instead of the payer", shown(source)));
    }
    if destination != token_account(ask.recipient, output, output_program)? {
        let (paid, recipient) = (shown(destination), ask.recipient);
        return wrong(format!("its transaction pays {paid} instead of the token account of {recipient}"));
    }
    if swap.fee_bps != 0 || swap.surplus_bps != 0 {
        return wrong("its transaction pays a fee that nobody asked for".to_owned());
    }
    if swap.least() == 0 {
        return Err(Unusable::Declined("its transaction has no least output".to_owned()));
    }
    Ok(())
}

/// A token account of the payer or the recipient, which the payer pays the rent of.
fn check_setup(ask: &ProviderAsk, setup: &SolanaInstruction) -> Result<(), Unusable> {
    let account = |place: usize| setup.accounts.get(place).map(|account| Address::Solana(account.address));
    let owner = account(2);
    let creates = setup.program == ASSOCIATED_TOKEN.to_bytes() && setup.data == CREATE_IDEMPOTENT;
    let is_theirs = owner == Some(ask.payer) || owner == Some(ask.recipient);
    if creates && account(0) == Some(ask.payer) && is_theirs {
        return Ok(());
    }
    let program = Address::Solana(setup.program);
    Err(Unusable::Wrong(format!("it begins with an instruction of {program} that nobody asked for")))
}

/// Where an address keeps its tokens.
pub(in crate::providers) fn token_account(
    owner: Address,
    mint: [u8; 32],
    program: Key,
) -> Result<[u8; 32], Unusable> {
    let Address::Solana(owner) = owner else {
        return Err(Unusable::Wrong(format!("{owner} is no address of Solana")));
    };
    let seeds = [&owner[..], program.as_ref(), &mint];
    Ok(Key::find_program_address(&seeds, &ASSOCIATED_TOKEN).0.to_bytes())
}

fn instruction(read: &Instruction) -> Result<SolanaInstruction, Unusable> {
    let accounts = read.accounts.iter().map(|account| {
        let address = key(&account.pubkey)?;
        Ok(SolanaAccount { address, is_signer: account.is_signer, is_writable: account.is_writable })
    });
    let data = BASE64.decode(&read.data);
    let data = data.map_err(|_| Unusable::Wrong("its instruction is not written in base64".to_owned()))?;
    let accounts = accounts.collect::<Result<_, Unusable>>()?;
    Ok(SolanaInstruction { program: key(&read.program_id)?, accounts, data })
}

fn key(text: &str) -> Result<[u8; 32], Unusable> {
    let key = Key::from_str(text).map_err(|_| Unusable::Wrong("it names no address of Solana".to_owned()))?;
    Ok(key.to_bytes())
}

fn is_token(text: &str, wanted: TokenId) -> bool {
    key(text).is_ok_and(|mint| Address::Solana(mint) == wanted.address())
}
