use std::collections::HashMap;

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{BalanceReader, ChainError};
use causeway_domain::{Address as AnyAddress, ChainId, RawAmount, SOLANA_CHAIN_ID, TokenId};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use solana_address::Address;

use crate::account::{Account, WireAccount};
use crate::commitment::{Commitment, Contextual};
use crate::rpc::{Call, SolanaRpc};
use crate::token_account::{BASE_LENGTH, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, TokenAccount, TokenAccountState};

#[derive(Deserialize)]
struct WireHolding {
    account: WireAccount,
}

/// Amounts by mint from one call; SOL under its native token address.
pub(crate) type Holdings = Vec<(AnyAddress, u64)>;

#[async_trait]
impl BalanceReader for SolanaRpc {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn balances(
        &self,
        owner: AnyAddress,
        tokens: &[TokenId],
    ) -> Result<Vec<(TokenId, RawAmount)>, ChainError> {
        let asked = BalanceCalls::new(owner, tokens)?;
        let read = |index, answer: Contextual<Box<RawValue>>| asked.read(index, answer.value.get());
        let answers = self.request_batch(&asked.calls(), read).await?;
        Ok(select(&asked.tokens, answers.into_iter().flatten()))
    }
}

/// What is asked of a node for the balances of one owner.
pub(crate) struct BalanceCalls<'a> {
    owner: Address,
    pub(crate) tokens: Vec<&'a TokenId>,
    /// One call each: the accounts of this program, or SOL.
    programs: Vec<Option<Address>>,
}

impl<'a> BalanceCalls<'a> {
    pub(crate) fn new(owner: AnyAddress, tokens: &'a [TokenId]) -> Result<Self, ChainError> {
        let AnyAddress::Solana(bytes) = owner else {
            return Err(ChainError::Refused(SOLANA_CHAIN_ID, format!("{owner} is not a Solana address")));
        };
        let tokens: Vec<&TokenId> = tokens.iter().filter(|token| token.chain() == SOLANA_CHAIN_ID).collect();
        let mut programs = Vec::new();
        if tokens.iter().any(|token| token.is_native()) {
            programs.push(None);
        }
        if tokens.iter().any(|token| !token.is_native()) {
            programs.extend([Some(TOKEN_PROGRAM), Some(TOKEN_2022_PROGRAM)]);
        }
        Ok(Self { owner: Address::new_from_array(bytes), tokens, programs })
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.programs.iter().map(|program| balance_call(&self.owner, program.as_ref())).collect()
    }

    /// Reads the value of the answer to one of the calls.
    pub(crate) fn read(&self, index: usize, value: &str) -> Result<Holdings, String> {
        match self.programs.get(index) {
            Some(Some(program)) => token_holdings(value, &self.owner, program),
            _ => native_holding(value),
        }
    }
}

fn balance_call(owner: &Address, program: Option<&Address>) -> Call {
    let owner = owner.to_string();
    match program {
        None => {
            Call { method: "getBalance", params: json!([owner, { "commitment": Commitment::Confirmed }]) }
        }
        Some(program) => {
            let options = json!({
                "commitment": Commitment::Confirmed,
                "encoding": "base64",
                // Extensions may be long and do not affect the balance.
                "dataSlice": { "offset": 0, "length": BASE_LENGTH + 1 },
            });
            let filter = json!({ "programId": program.to_string() });
            Call { method: "getTokenAccountsByOwner", params: json!([owner, filter, options]) }
        }
    }
}

fn native_holding(json: &str) -> Result<Holdings, String> {
    let lamports: u64 = serde_json::from_str(json).map_err(|error| error.to_string())?;
    Ok(vec![(TokenId::native(SOLANA_CHAIN_ID).address(), lamports)])
}

/// The usable token accounts: frozen ones cannot pay, uninitialized ones hold nothing.
fn token_holdings(json: &str, owner: &Address, program: &Address) -> Result<Holdings, String> {
    let listed: Vec<WireHolding> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let mut holdings = Holdings::new();
    for holding in listed {
        let account = Account::try_from(holding.account)?;
        if account.owner != *program {
            return Err(format!("an account of program {} among those of {program}", account.owner));
        }
        let account = TokenAccount::parse(&account.data).map_err(|error| error.to_string())?;
        if account.owner != *owner {
            return Err(format!("an account of {} among those of {owner}", account.owner));
        }
        if account.state == TokenAccountState::Initialized {
            holdings.push((AnyAddress::Solana(account.mint.to_bytes()), account.amount));
        }
    }
    Ok(holdings)
}

/// Sums the holdings of each requested token; tokens without a balance are left out.
pub(crate) fn select(
    requested: &[&TokenId],
    holdings: impl Iterator<Item = (AnyAddress, u64)>,
) -> Vec<(TokenId, RawAmount)> {
    let mut sums: HashMap<AnyAddress, U256> = HashMap::new();
    for (address, amount) in holdings {
        // A mint's supply fits into 64 bits, but a malicious server must not cause an overflow.
        *sums.entry(address).or_default() += U256::from(amount);
    }
    let held = |token: &&TokenId| {
        let amount = RawAmount::new(sums.remove(&token.address())?);
        (!amount.is_zero()).then_some((**token, amount))
    };
    requested.iter().filter_map(held).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn token(byte: u8) -> TokenId {
        TokenId::new(SOLANA_CHAIN_ID, &AnyAddress::Solana([byte; 32]).to_string()).unwrap()
    }

    #[test]
    fn accounts_of_a_mint_are_summed_and_other_mints_left_out() {
        let (a, b, c) = (token(1), token(2), token(3));
        let holdings = [(a.address(), u64::MAX), (c.address(), 5), (a.address(), u64::MAX), (b.address(), 0)];
        let selected = select(&[&b, &a, &a], holdings.into_iter());
        let twice = U256::from(u64::MAX) * U256::from(2);
        assert_eq!(selected, [(a, RawAmount::new(twice))]);
    }

    fn arbitrary_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            "\\PC{0,12}".prop_map(Value::from),
            Just(Value::from("base64")),
        ];
        leaf.prop_recursive(4, 48, 6, |inner| {
            let key = prop_oneof![
                Just("account".to_owned()),
                Just("data".to_owned()),
                Just("owner".to_owned()),
                Just("lamports".to_owned()),
                "[a-z]{0,6}",
            ];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(key, inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_answer_is_read_or_refused_without_panic(value in arbitrary_json()) {
            let owner = Address::new_from_array([1; 32]);
            let _ = native_holding(&value.to_string());
            let _ = token_holdings(&value.to_string(), &owner, &TOKEN_PROGRAM);
        }
    }
}
