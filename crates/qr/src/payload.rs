mod amount;
mod bitcoin;
mod evm;
mod solana;

pub use amount::base_units;
pub use solana::solana_pay;

use crate::Error;
use crate::style::small_number;

/// The longest payload that is encoded, in characters.
pub const MAX_CHARACTERS: usize = 2048;

/// A payment that a wallet should offer after scanning.
///
/// There is no memo: wallets carry one from none of the payloads into the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer<'a> {
    /// The amount as people write it, such as `1.23`.
    pub amount: &'a str,
    /// Who is paid.
    pub recipient: &'a str,
    /// The chain on which the payment is made, such as `eip155:8453`.
    pub caip2: &'a str,
    /// The contract of the token, or a name of the chain's own currency.
    pub token: &'a str,
    /// How many decimals the token has, at most 36.
    pub decimals: u8,
}

impl<'a> Transfer<'a> {
    /// Reads the query parameters, all of which are required; a blank one counts as absent.
    pub fn from_query(
        amount: Option<&'a str>,
        recipient: Option<&'a str>,
        caip2: Option<&'a str>,
        token: Option<&'a str>,
        decimals: Option<&'a str>,
    ) -> Result<Self, Error> {
        let mut missing = Vec::new();
        let mut required = |name, value| {
            filled(value).unwrap_or_else(|| {
                missing.push(name);
                ""
            })
        };
        let amount = required("amount", amount);
        let recipient = required("recipient", recipient);
        let caip2 = required("caip2", caip2);
        let token = required("token", token);
        let decimals = required("decimals", decimals);
        if !missing.is_empty() {
            return Err(Error::Missing(missing));
        }
        let decimals =
            small_number(decimals).filter(|n| *n <= amount::MAX_DECIMALS).ok_or(Error::Decimals)?;
        Ok(Self { amount, recipient, caip2, token, decimals })
    }
}

/// The payload for a payment: a payment URI where chain, token and recipient are beyond doubt, otherwise the
/// recipient alone. An amount that the token cannot express is such a doubt too; [`base_units`] says why.
pub fn transfer(transfer: &Transfer<'_>) -> Result<String, Error> {
    let uri = match transfer.caip2.split_once(':') {
        Some(("eip155", chain_id)) => base_units(transfer.amount, transfer.decimals)
            .ok()
            .and_then(|units| evm::uri(chain_id, transfer.token, transfer.recipient, &units)),
        Some(("bip122", genesis)) => bitcoin::uri(genesis, transfer),
        _ => None,
    };
    let payload = uri.unwrap_or_else(|| transfer.recipient.to_owned());
    within_limit(&payload)?;
    Ok(payload)
}

/// The payload for any text: the text itself.
pub fn generic(content: Option<&str>) -> Result<&str, Error> {
    let content = filled(content).ok_or_else(|| Error::Missing(vec!["content"]))?;
    within_limit(content)?;
    Ok(content)
}

/// A parameter that is present and not blank.
pub(crate) fn filled(value: Option<&str>) -> Option<&str> {
    value.filter(|value| !value.trim().is_empty())
}

fn is_within_limit(payload: &str) -> bool {
    within_limit(payload).is_ok()
}

fn within_limit(payload: &str) -> Result<(), Error> {
    let length = payload.chars().count();
    if length > MAX_CHARACTERS {
        return Err(Error::TooLong { length, limit: MAX_CHARACTERS, unit: "characters" });
    }
    Ok(())
}
