use std::fmt::LowerHex;

use alloy_primitives::{Address, U256, hex};
use causeway_provider_calls::{EvmCall, Unreadable, lifi, relay, zerox};
use causeway_wire::QuoteAsk;

use super::super::super::trusted_provider::{TrustedProvider, Unchecked};
use super::super::mismatch;
use super::super::transactions::check_address;
use super::{Allowed, evm_address};
use crate::Wallet;

pub(super) fn unknown_function(name: &[u8], contract: &impl LowerHex) -> String {
    let name = hex::encode_prefixed(name);
    format!(
        "The deposit calls the function {name} of {contract:#x}, which this SDK cannot read: leave the route out, or use a newer SDK."
    )
}

pub(super) fn other_arguments(name: &[u8], contract: &impl LowerHex) -> String {
    let name = hex::encode_prefixed(name);
    format!("The deposit calls the function {name} of {contract:#x} with other arguments than it takes.")
}

/// What a call says; absent where calls of its kind do not say it.
struct Said {
    payer: Option<Address>,
    chain: Option<U256>,
    recipient: Option<Address>,
    token: Address,
    amount: U256,
    /// The output token and its least amount.
    output: Option<(Address, U256)>,
    /// Who may take the input, and which contract is called with it.
    settler: Option<[Address; 2]>,
}

impl Said {
    fn read(ask: &QuoteAsk, allowed: &Allowed, data: &[u8]) -> Result<Self, String> {
        let function = data.get(..4).unwrap_or(data);
        let call = match EvmCall::read(data) {
            Ok(call) => call,
            Err(Unreadable::Unknown) => return Err(unknown_function(function, &allowed.target)),
            Err(Unreadable::Malformed) => return Err(other_arguments(function, &allowed.target)),
        };
        match call {
            EvmCall::Lifi(call) => Self::of_lifi(ask, &call),
            EvmCall::Relay(deposit) => Ok(Self::of_relay(allowed, &deposit)),
            EvmCall::Zerox(swap) => Ok(Self::of_zerox(ask, &swap)),
        }
    }

    fn of_lifi(ask: &QuoteAsk, call: &lifi::Call) -> Result<Self, String> {
        let (token, amount) =
            call.input().ok_or("The deposit's call takes other tokens besides the input.")?;
        let (chain, recipient, output) = match call {
            lifi::Call::Bridge { bridge, .. } if bridge.hasDestinationCall => {
                return Err(
                    "The deposit's call goes on to another contract on the destination chain.".to_owned()
                );
            }
            lifi::Call::Bridge { bridge, .. } => (bridge.destinationChainId, bridge.receiver, None),
            lifi::Call::Swap(swap) => {
                (U256::from(ask.from_chain_id), swap.recipient, Some((swap.output, swap.least)))
            }
        };
        let (chain, recipient) = (Some(chain), Some(recipient));
        Ok(Self { payer: None, chain, recipient, token, amount, output, settler: None })
    }

    /// The order that a deposit names is Relay's: it alone can say what is in it.
    fn of_relay(allowed: &Allowed, deposit: &relay::Deposit) -> Self {
        let payer = Some(deposit.depositor).filter(|depositor| !depositor.is_zero());
        // The amount of native coin is the value of the call, which is checked apart.
        let (token, amount) = deposit.token.unwrap_or((Address::ZERO, allowed.amount));
        Self { payer, chain: None, recipient: None, token, amount, output: None, settler: None }
    }

    fn of_zerox(ask: &QuoteAsk, swap: &zerox::Swap) -> Self {
        Self {
            payer: None,
            chain: Some(U256::from(ask.from_chain_id)),
            recipient: Some(swap.recipient),
            token: swap.token,
            amount: swap.amount,
            output: Some((swap.output, swap.least)),
            settler: Some([swap.operator, swap.settler]),
        }
    }
}

/// Compares what a provider's call says with the request. Returns the settler of 0x that the caller does not trust by name.
pub(super) fn check_call(
    ask: &QuoteAsk,
    allowed: &Allowed,
    trusted: &[TrustedProvider],
    data: &[u8],
) -> Result<Option<Address>, String> {
    let said = Said::read(ask, allowed, data)?;
    check_input(allowed, &said)?;
    check_receipt(ask, allowed, &said)?;
    for (what, is_said) in
        [(Unchecked::Recipient, said.recipient.is_some()), (Unchecked::Output, said.output.is_some())]
    {
        let is_left = |provider: &TrustedProvider| provider.is(allowed.target) && provider.leaves(what);
        if !is_said && !trusted.iter().any(is_left) {
            let (contract, words, name) = (allowed.target, what.words(), what.as_str());
            return Err(format!(
                "The deposit's call of {contract:#x} does not say {words}, which is the service's word: trust the contract with \
                 `{name}` unchecked to take it."
            ));
        }
    }
    let Some([operator, settler]) = said.settler else { return Ok(None) };
    check_address("call's operator", operator, settler)?;
    Ok((!trusted.iter().any(|provider| provider.is(settler))).then_some(settler))
}

/// The call takes the input from the payer, and nothing else.
fn check_input(allowed: &Allowed, said: &Said) -> Result<(), String> {
    if let Some(payer) = said.payer {
        check_address("call's payer", payer, allowed.payer)?;
    }
    check_address("call's input token", said.token, allowed.token)?;
    if said.amount != allowed.amount {
        return Err(mismatch("call's input", said.amount, allowed.amount));
    }
    Ok(())
}

/// The recipient gets the least output of the right token on the right chain, as far as the call says it.
fn check_receipt(ask: &QuoteAsk, allowed: &Allowed, said: &Said) -> Result<(), String> {
    if let Some(chain) = said.chain.filter(|chain| *chain != U256::from(ask.to_chain_id)) {
        return Err(mismatch("call's destination chain", chain, ask.to_chain_id));
    }
    if let Some(recipient) = said.recipient {
        let wanted = ask.recipient.as_deref().unwrap_or(&ask.from_address);
        check_address("call's recipient", recipient, evm_address("recipient", wanted)?)?;
    }
    if let Some((token, least)) = said.output {
        check_address("call's output token", token, evm_address("output token", &ask.to_token)?)?;
        if least < allowed.least {
            return Err(mismatch("call's least output", least, format!("at least {}", allowed.least)));
        }
    }
    Ok(())
}

/// Checks that 0x's registry names the settler that gets the input, as the wallet reads it on the chain.
pub(in super::super::super) async fn check_settler<W: Wallet>(
    wallet: &W,
    chain_id: u64,
    settler: Address,
) -> Result<(), String> {
    for call in zerox::settlers() {
        // A registry that is paused, and a wallet that reads no chains, name none.
        let named = wallet.call(chain_id, zerox::REGISTRY, &call).await;
        if named.is_ok_and(|named| named.as_ref() == settler.into_word().as_slice()) {
            return Ok(());
        }
    }
    let expected = "one that is trusted, or that the wallet finds in 0x's registry";
    Err(mismatch("call's settler", format!("{settler:#x}"), expected))
}
