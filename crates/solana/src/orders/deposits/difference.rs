use causeway_domain::IntentTerms;
use solana_address::Address;
use solana_message::compiled_instruction::CompiledInstruction;
use solana_message::v0::Message;

use super::payment::{MEMO, Payment};
use crate::program::EscrowProgram;
use crate::transaction::COMPUTE_BUDGET;

/// Describes how a message differs from the built one, the most serious difference first.
pub(super) fn describe_difference(
    program: EscrowProgram,
    payment: &Payment,
    terms: &IntentTerms,
    built: &Message,
    given: &Message,
) -> String {
    let payer = given.account_keys.first();
    if payer != Some(&payment.user) {
        let payer = payer.map(ToString::to_string).unwrap_or_default();
        return format!("{payer} pays for it instead of the payer {}", payment.user);
    }
    if given.header.num_required_signatures != built.header.num_required_signatures {
        return format!(
            "it asks for {} signatures instead of the payer's alone",
            given.header.num_required_signatures
        );
    }
    let deposits = given.instructions.iter().find(|one| program_of(given, one) == Some(program.id));
    if let Some(reason) = deposits.and_then(|one| changed_terms(program, terms, given, one)) {
        return reason;
    }
    if let Some(reason) = changed_instructions(program, built, given) {
        return reason;
    }
    if given.recent_blockhash != built.recent_blockhash {
        return "its blockhash is not that of the transaction that was built; build the deposit again and sign the \
                newest one"
            .to_owned();
    }
    if !given.address_table_lookups.is_empty() {
        return "it uses a lookup table, and the built transaction does not".to_owned();
    }
    "its accounts are in another order or have other permissions than in the built transaction".to_owned()
}

/// How its terms differ from the order's.
fn changed_terms(
    program: EscrowProgram,
    terms: &IntentTerms,
    given: &Message,
    instruction: &CompiledInstruction,
) -> Option<String> {
    let accounts = accounts_of(given, instruction)?;
    let other = program.deposited_terms(&accounts, &instruction.data)?;
    if other == *terms {
        return None;
    }
    if other.nonce != terms.nonce {
        return Some(format!("it is the deposit of another order, {}", other.id()));
    }
    let parts = [
        ("amount", other.amount_in == terms.amount_in),
        ("token", other.input_token == terms.input_token),
        ("recipient", other.recipient == terms.recipient),
        ("amount to deliver", other.amount_out == terms.amount_out),
        ("token to deliver", other.output_token == terms.output_token),
        ("destination chain", other.destination_chain_id == terms.destination_chain_id),
        ("refund address", other.refund_to == terms.refund_to),
    ];
    let changed: Vec<&str> = parts.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect();
    let what = if changed.is_empty() {
        "other terms".to_owned()
    } else {
        format!("another {}", changed.join(", another "))
    };
    Some(format!("it deposits under {what} than was built"))
}

fn changed_instructions(program: EscrowProgram, built: &Message, given: &Message) -> Option<String> {
    let programs = |message: &Message| -> Vec<Option<Address>> {
        message.instructions.iter().map(|one| program_of(message, one)).collect()
    };
    let (before, after) = (programs(built), programs(given));
    if before != after {
        let name =
            |program: &Option<Address>| program.map_or_else(|| "a table".to_owned(), |id| id.to_string());
        let added = after.iter().zip(before.iter().map(Some).chain(std::iter::repeat(None)));
        let added =
            added.filter(|(after, before)| Some(*after) != *before).map(|(after, _)| name(after)).next();
        return Some(match added {
            Some(added) if after.len() > before.len() => format!(
                "it carries {} instructions where {} were built; one of the program {added} was added",
                after.len(),
                before.len()
            ),
            Some(other) => format!("an instruction was replaced by one of the program {other}"),
            None => format!("it carries {} instructions where {} were built", after.len(), before.len()),
        });
    }
    let pairs = built.instructions.iter().zip(&given.instructions).zip(before);
    for ((before, after), id) in pairs {
        if before.data != after.data {
            return Some(match id {
                Some(COMPUTE_BUDGET) => {
                    "its compute budget was changed, which some wallets do by themselves; switch that off, \
                                         or have the wallet send it and submit its signature as txHash"
                        .to_owned()
                }
                Some(MEMO) => "its memo does not name this order".to_owned(),
                id if id == Some(program.id) => "what it asks of the escrow was changed".to_owned(),
                _ => "the content of an instruction was changed".to_owned(),
            });
        }
        let (before, after) = (accounts_of(built, before), accounts_of(given, after));
        if before != after {
            let pairs = before.unwrap_or_default().into_iter().zip(after.unwrap_or_default());
            let changed = pairs.into_iter().find(|(before, after)| before != after);
            return Some(match changed {
                Some((before, after)) => {
                    format!("an account was replaced: {after} instead of {before}")
                }
                None => "accounts were added to an instruction, or taken from it".to_owned(),
            });
        }
    }
    None
}

fn program_of(message: &Message, instruction: &CompiledInstruction) -> Option<Address> {
    message.account_keys.get(usize::from(instruction.program_id_index)).copied()
}

/// The accounts of an instruction; `None` if one comes from a lookup table.
fn accounts_of(message: &Message, instruction: &CompiledInstruction) -> Option<Vec<Address>> {
    let account = |index: &u8| message.account_keys.get(usize::from(*index)).copied();
    instruction.accounts.iter().map(account).collect()
}
