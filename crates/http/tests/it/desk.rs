use std::sync::Mutex;

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256, keccak256};
use async_trait::async_trait;
use causeway_domain::ports::{
    BroadcastError, ChainError, CheckError, DepositDesk, DepositError, NotThisDeposit, SendPurpose, Visible,
    WalletAction, WalletTransaction,
};
use causeway_domain::{Address, ChainId, RawAmount, SOLANA_CHAIN_ID, Terms};
use serde_json::{Value, json};

/// What the chain behind a desk makes of the next deposit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mood {
    #[default]
    Willing,
    PayerIsPoor,
    PayerHasNoGas,
    TokenIsPaused,
    Away,
    /// Shows every transaction as something else.
    ShowsOther,
    /// Refuses what is sent to it.
    Refuses,
    /// Finds what is sent to it too old.
    Forgets,
}

/// A desk for a chain that is not there.
#[derive(Debug)]
pub(crate) struct FakeDesk {
    pub(crate) chain: ChainId,
    pub(crate) mood: Mutex<Mood>,
}

impl FakeDesk {
    fn mood(&self) -> Mood {
        *self.mood.lock().unwrap()
    }

    fn check(&self) -> Result<(), DepositError> {
        let (has, needs) =
            (RawAmount::new(U256::from(12_500_000)), RawAmount::new(U256::from(1_000_000_000)));
        match self.mood() {
            Mood::PayerIsPoor => Err(DepositError::Balance { has, needs }),
            Mood::PayerHasNoGas => Err(DepositError::Gas { has: RawAmount::ZERO, needs }),
            Mood::TokenIsPaused => Err(DepositError::WouldFail("the token is paused".to_owned())),
            Mood::Away => Err(ChainError::Unavailable(self.chain).into()),
            _ => Ok(()),
        }
    }

    fn is_solana(&self) -> bool {
        self.chain == SOLANA_CHAIN_ID
    }

    fn send(terms: &Terms, purpose: SendPurpose, to: u8, gas: Option<u64>) -> WalletAction {
        let transaction = WalletTransaction {
            from: EvmAddress::from_word(terms.user),
            to: EvmAddress::repeat_byte(to),
            data: Bytes::from_static(&[0xe9, 0x17, 0xa9, 0x62]),
            value: U256::ZERO,
            gas,
        };
        WalletAction::Send { purpose, transaction }
    }
}

#[async_trait]
impl DepositDesk for FakeDesk {
    fn chain(&self) -> ChainId {
        self.chain
    }

    fn escrow(&self) -> B256 {
        if self.is_solana() { B256::repeat_byte(0xe5) } else { EvmAddress::repeat_byte(0xe5).into_word() }
    }

    fn settler(&self) -> B256 {
        EvmAddress::repeat_byte(0x5e).into_word()
    }

    fn min_grace(&self) -> u64 {
        60
    }

    async fn epoch(&self) -> Result<u64, ChainError> {
        Ok(3)
    }

    async fn actions(&self, terms: &Terms) -> Result<Vec<WalletAction>, DepositError> {
        self.check()?;
        if self.is_solana() {
            return Ok(vec![WalletAction::SignSolana { transaction: vec![1, 2, 3, 4] }]);
        }
        let (spender, amount) = (EvmAddress::repeat_byte(0xe5), terms.amount_in);
        Ok(vec![
            WalletAction::SwitchChain(self.chain),
            Self::send(terms, SendPurpose::ResetAllowance, 0x70, Some(46_000)),
            Self::send(terms, SendPurpose::Approve { spender, amount }, 0x70, None),
            Self::send(terms, SendPurpose::Deposit, 0xe5, Some(180_000)),
        ])
    }

    async fn permit(&self, terms: &Terms) -> Result<(Value, Vec<WalletAction>), DepositError> {
        self.check()?;
        let typed = json!({
            "domain": { "name": "Permit2", "chainId": self.chain.get() },
            "types": { "TokenPermissions": [{ "name": "token", "type": "address" }] },
            "primaryType": "PermitWitnessTransferFrom",
            "message": { "permitted": { "amount": terms.amount_in.to_string() } },
        });
        let (spender, amount) = (EvmAddress::repeat_byte(0x22), terms.amount_in);
        Ok((typed, vec![Self::send(terms, SendPurpose::Approve { spender, amount }, 0x70, None)]))
    }

    fn address_for(&self, intent: B256) -> Option<Address> {
        let word = keccak256(intent);
        Some(if self.is_solana() {
            Address::Solana(word.0)
        } else {
            Address::Evm(EvmAddress::from_word(word))
        })
    }

    async fn look_at(&self, _: &Terms, _: &str) -> Result<Visible, ChainError> {
        Ok(match self.mood() {
            Mood::ShowsOther => Visible::Other("it calls another contract".to_owned()),
            _ => Visible::NotYet,
        })
    }

    async fn check_permit(&self, _: &Terms, _: &[u8]) -> Result<(), CheckError> {
        Err(NotThisDeposit("it is signed by another key".to_owned()).into())
    }

    async fn check_signed(&self, _: &Terms, built: Option<&[u8]>, raw: &[u8]) -> Result<String, CheckError> {
        if !self.is_solana() {
            return Ok(keccak256(raw).to_string());
        }
        if built != Some(raw) {
            return Err(NotThisDeposit("it is a legacy transaction".to_owned()).into());
        }
        Ok(bs58::encode([7; 64]).into_string())
    }

    async fn broadcast(&self, _: &[u8]) -> Result<(), BroadcastError> {
        match self.mood() {
            Mood::Refuses => Err(BroadcastError::Refused("nonce too low".to_owned())),
            Mood::Forgets => Err(BroadcastError::Expired { tx: "5abc".to_owned() }),
            _ => Ok(()),
        }
    }
}
