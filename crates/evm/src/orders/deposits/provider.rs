use alloy_primitives::{Address as EvmAddress, B256, Bytes, U64, U256};
use alloy_sol_types::{SolCall as _, SolType as _, sol, sol_data};
use async_trait::async_trait;
use causeway_domain::ports::{
    ChainError, DepositError, DepositTxStatus, ProviderPayment, ProviderPaymentError, ProviderPayments,
    RegisteredContract, SendPurpose, WalletAction,
};
use causeway_domain::{Address, ChainId, TokenId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::actions::check_gas;
use super::approvals::{approvals, send};
use super::holdings::holdings;
use super::payment::{Erc20, Payment};
use super::rejection::Rejection;
use super::simulate::MULTICALL3_CODE;
use crate::client::EvmClient;
use crate::error::CallError;
use crate::multicall::{balance_of, getEthBalanceCall, word};
use crate::rpc::Call;
use crate::send::TxRequest;

sol! {
    struct Call3Value {
        address target;
        bool allowFailure;
        uint256 value;
        bytes callData;
    }

    struct CallOutcome {
        bool success;
        bytes returnData;
    }

    function aggregate3Value(Call3Value[] calls) payable returns (CallOutcome[] outcomes);
}

/// Checks payments to the contracts of liquidity providers on one EVM chain. It needs no contracts of ours there.
#[derive(Clone, Debug)]
pub struct EvmProviderPayments {
    client: EvmClient,
}

/// The fields of a transaction that identify a payment.
#[derive(Debug, Deserialize)]
struct Sent {
    from: EvmAddress,
    to: Option<EvmAddress>,
    #[serde(default)]
    input: Bytes,
    value: U256,
}

/// What the simulation reads before and after the call.
struct Readings {
    /// The zero address is the native coin.
    balances: Vec<(EvmAddress, EvmAddress)>,
    spender: Option<EvmAddress>,
}

impl EvmProviderPayments {
    pub const fn new(client: EvmClient) -> Self {
        Self { client }
    }

    fn token(&self, token: TokenId) -> Result<EvmAddress, DepositError> {
        if token.chain() != self.chain() {
            return Err(DepositError::WouldFail(format!("{token} is not a token of this chain")));
        }
        evm(token.address())
    }

    /// The payer's call, as the escrow's deposits have it.
    fn payment(&self, payment: &ProviderPayment) -> Result<Payment, DepositError> {
        let (to, value) = (evm(payment.transaction.target)?, payment.transaction.value);
        Ok(Payment {
            user: evm(payment.payer)?,
            token: self.token(payment.token)?,
            amount: payment.amount.get(),
            open: TxRequest { to, value, data: payment.transaction.data.clone() },
        })
    }

    /// Whether a contract that gets the input is one that the provider's registry names now. The simulation would not tell: another
    /// contract can do in it what is expected, and on the chain something else.
    async fn check_registered(&self, registered: &RegisteredContract) -> Result<(), ProviderPaymentError> {
        let (contract, registry) = (evm(registered.contract)?, evm(registered.registry)?);
        for call in &registered.calls {
            match self.client.prevailing_call(registry, call).await {
                Ok(answer) => {
                    if sol_data::Address::abi_decode(&answer).is_ok_and(|named| named == contract) {
                        return Ok(());
                    }
                }
                // It is paused.
                Err(CallError::Refused { .. }) => break,
                Err(error) => return Err(DepositError::from(ChainError::from(error)).into()),
            }
        }
        Err(ProviderPaymentError::Effects(format!(
            "its transaction hands the input to {contract}, which its registry {registry} does not name"
        )))
    }

    /// Runs the allowance and the call in one simulation, and compares the payer's balances before and after. A state override
    /// puts Multicall3 at the payer's address; a node without such overrides cannot check the call, so nothing is built.
    async fn compare_effects(
        &self,
        payment: &ProviderPayment,
        call: &Payment,
        approves: bool,
    ) -> Result<Option<u64>, ProviderPaymentError> {
        let spender = payment.transaction.spender.map(evm).transpose()?;
        let mut balances = vec![(call.user, EvmAddress::ZERO)];
        if !call.is_native() {
            balances.push((call.user, call.token));
        }
        for guarded in
            payment.guarded.iter().filter(|guarded| **guarded != payment.token && !guarded.is_native())
        {
            balances.push((call.user, self.token(*guarded)?));
        }
        if let Some((token, recipient, _)) = payment.output {
            balances.push((evm(recipient)?, self.token(token)?));
        }
        let readings = Readings { balances, spender };
        let steps = steps(call, &readings, approves);
        let answer = self.client.call::<Bytes>(with_override(call, "eth_call", steps)).await;
        let outcomes = match answer {
            Ok(bytes) => aggregate3ValueCall::abi_decode_returns(&bytes).ok(),
            Err(CallError::Refused { .. }) => None,
            Err(error) => return Err(DepositError::from(ChainError::from(error)).into()),
        };
        let unsimulated = || {
            DepositError::WouldFail(
                "no endpoint of this chain simulates with state overrides, so the provider's transaction cannot \
                 be checked"
                    .to_owned(),
            )
        };
        let outcomes = outcomes.ok_or_else(unsimulated)?;
        compare(payment, call, &readings, approves, &outcomes)?;
        let bare = bare_steps(call, spender, approves, false);
        let gas = self.client.call::<U64>(with_override(call, "eth_estimateGas", bare)).await;
        Ok(gas.ok().map(|gas| gas.to()))
    }
}

/// The address as one of an EVM chain.
fn evm(address: Address) -> Result<EvmAddress, DepositError> {
    match address {
        Address::Evm(address) => Ok(address),
        _ => Err(DepositError::WouldFail(format!("{address} is not an address of this chain"))),
    }
}

/// The allowance, if one is needed, and the call.
fn bare_steps(
    call: &Payment,
    spender: Option<EvmAddress>,
    approves: bool,
    may_fail: bool,
) -> Vec<Call3Value> {
    let step = |request: TxRequest, step_may_fail: bool| Call3Value {
        target: request.to,
        allowFailure: step_may_fail,
        value: request.value,
        callData: request.data,
    };
    let mut steps = Vec::new();
    if let Some(spender) = spender.filter(|_| approves) {
        steps.push(step(call.approve(spender, U256::ZERO), true));
        steps.push(step(call.approve(spender, call.amount), may_fail));
    }
    steps.push(step(call.open.clone(), may_fail));
    steps
}

/// The same between two readings.
fn steps(call: &Payment, readings: &Readings, approves: bool) -> Vec<Call3Value> {
    let read = |target: EvmAddress, data: Vec<u8>| Call3Value {
        target,
        allowFailure: true,
        value: U256::ZERO,
        callData: data.into(),
    };
    let balances = || {
        readings.balances.iter().map(|(owner, token)| {
            // Multicall3 lies at the payer's address.
            if token.is_zero() {
                read(call.user, getEthBalanceCall { owner: *owner }.abi_encode())
            } else {
                read(*token, balance_of(*owner))
            }
        })
    };
    let mut steps: Vec<Call3Value> = balances().collect();
    steps.extend(bare_steps(call, readings.spender, approves, true));
    steps.extend(balances());
    if let Some(spender) = readings.spender {
        steps.push(read(call.token, Erc20::allowanceCall { owner: call.user, spender }.abi_encode()));
    }
    steps
}

fn with_override(call: &Payment, method: &'static str, calls: Vec<Call3Value>) -> Call {
    let value = calls.iter().fold(U256::ZERO, |sum, call| sum.saturating_add(call.value));
    let data = Bytes::from(aggregate3ValueCall { calls }.abi_encode());
    let mut accounts = serde_json::Map::new();
    accounts.insert(call.user.to_string(), json!({ "code": *MULTICALL3_CODE }));
    let call = json!({ "from": call.user, "to": call.user, "value": value, "data": data });
    Call::new(method, json!([call, "latest", Value::Object(accounts)]))
}

/// Compares what the simulation shows with what the route says.
fn compare(
    payment: &ProviderPayment,
    call: &Payment,
    readings: &Readings,
    approves: bool,
    outcomes: &[CallOutcome],
) -> Result<(), ProviderPaymentError> {
    let count = readings.balances.len();
    let approvals = if approves { 2 } else { 0 };
    let place = count + approvals;
    let unreadable = || DepositError::WouldFail("the simulation returned too little".to_owned());
    let outcome = outcomes.get(place).ok_or_else(unreadable)?;
    if !outcome.success {
        let rejection = Rejection::read("the contract gives no reason".to_owned(), Some(&outcome.returnData));
        return Err(DepositError::WouldFail(rejection.reason).into());
    }
    let number = |place: usize| outcomes.get(place).map(|outcome| word(&outcome.returnData));
    for (index, (owner, token)) in readings.balances.iter().enumerate() {
        let (before, after) = (number(index), number(place + 1 + index));
        let (before, after) = before.zip(after).ok_or_else(unreadable)?;
        let is_output = payment.output.is_some() && index + 1 == count;
        if let (true, Some((_, recipient, least))) = (is_output, payment.output) {
            let gained = after.saturating_sub(before);
            if gained < least.get() {
                let words =
                    format!("it pays {recipient} {gained} raw units, and the route says at least {least}");
                return Err(ProviderPaymentError::Effects(words));
            }
            continue;
        }
        let spent = before.saturating_sub(after);
        let allowed = match token {
            token if token.is_zero() => call.open.value,
            token if *token == call.token => call.amount,
            _ => U256::ZERO,
        };
        if spent > allowed {
            let what =
                if token.is_zero() { "the native coin".to_owned() } else { format!("the token {token}") };
            return Err(ProviderPaymentError::Effects(format!(
                "it takes {spent} raw units of {what} from {owner}, and the route allows {allowed}"
            )));
        }
    }
    if approves && readings.spender.is_some() {
        let left = number(place + 1 + count).ok_or_else(unreadable)?;
        if left > call.amount {
            return Err(ProviderPaymentError::Effects(format!("it leaves an allowance of {left} raw units")));
        }
    }
    Ok(())
}

#[async_trait]
impl ProviderPayments for EvmProviderPayments {
    fn chain(&self) -> ChainId {
        self.client.chain_id()
    }

    async fn actions(&self, payment: &ProviderPayment) -> Result<Vec<WalletAction>, ProviderPaymentError> {
        let call = self.payment(payment)?;
        if let Some(registered) = &payment.transaction.registered {
            self.check_registered(registered).await?;
        }
        let spender = payment.transaction.spender.map(evm).transpose()?;
        let held = holdings(&self.client, &call, spender.unwrap_or_default()).await?;
        let mut sends = match spender.filter(|_| !call.is_native()) {
            Some(spender) => approvals(&self.client, &call, spender, held.allowance).await?,
            None => Vec::new(),
        };
        let gas = self.compare_effects(payment, &call, !sends.is_empty()).await?;
        sends.push(send(call.user, SendPurpose::Deposit, call.open, gas));
        check_gas(&self.client, call.user, &sends, held.coins).await?;
        sends.insert(0, WalletAction::SwitchChain(self.chain()));
        Ok(sends)
    }

    async fn check_tx(
        &self,
        payer: Address,
        built: &[&[u8]],
        tx: &str,
    ) -> Result<DepositTxStatus, ChainError> {
        let Ok(hash) = tx.parse::<B256>() else {
            let reason = "a transaction hash is 0x and 64 hexadecimal digits";
            return Ok(DepositTxStatus::Mismatch(reason.to_owned()));
        };
        let sent: Option<Sent> =
            self.client.call(Call::new("eth_getTransactionByHash", json!([hash]))).await?;
        let Some(sent) = sent else { return Ok(DepositTxStatus::NotFound) };
        if Address::Evm(sent.from) != payer {
            let reason = format!("that transaction comes from {} instead of the payer {payer}", sent.from);
            return Ok(DepositTxStatus::Mismatch(reason));
        }
        let target = sent.to.unwrap_or_default().into_word();
        let packed = [target.as_slice(), &sent.value.to_be_bytes::<32>(), &sent.input].concat();
        if built.contains(&packed.as_slice()) {
            return Ok(DepositTxStatus::Matches);
        }
        let reason = "that transaction is not one that was built for this order";
        Ok(DepositTxStatus::Mismatch(reason.to_owned()))
    }
}
