use std::collections::{BTreeMap, BTreeSet};

use alloy_eips::eip2930::{AccessList, AccessListItem};
use alloy_primitives::{Address, B256, U256};
use revm::bytecode::opcode;
use revm::interpreter::Interpreter;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_types::{InputsTr as _, Jumps as _};

/// The accounts and slots that a run reads and that an access list could name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Touched(BTreeMap<Address, BTreeSet<B256>>);

impl Touched {
    /// What the interpreter's next step reads. The slots of an account count even where the account is warm from
    /// the start, as `warm` accounts are.
    pub(crate) fn record(&mut self, interpreter: &Interpreter<EthInterpreter>, warm: &BTreeSet<Address>) {
        let argument = |index| interpreter.stack.peek(index).ok();
        let account = match interpreter.bytecode.opcode() {
            opcode::SLOAD | opcode::SSTORE => {
                if let Some(key) = argument(0) {
                    self.0.entry(interpreter.input.target_address()).or_default().insert(key.into());
                }
                return;
            }
            opcode::BALANCE
            | opcode::EXTCODESIZE
            | opcode::EXTCODECOPY
            | opcode::EXTCODEHASH
            | opcode::SELFDESTRUCT => argument(0),
            opcode::CALL | opcode::CALLCODE | opcode::DELEGATECALL | opcode::STATICCALL => argument(1),
            _ => return,
        };
        let account = account.map(address).filter(|account| !warm.contains(account));
        self.0.extend(
            account.filter(|account| !self.0.contains_key(account)).map(|account| (account, BTreeSet::new())),
        );
    }
}

fn address(word: U256) -> Address {
    Address::from_word(word.into())
}

impl From<&AccessList> for Touched {
    fn from(list: &AccessList) -> Self {
        let mut touched = Self::default();
        for item in list.iter() {
            touched.0.entry(item.address).or_default().extend(&item.storage_keys);
        }
        touched
    }
}

impl From<Touched> for AccessList {
    fn from(touched: Touched) -> Self {
        let item = |(address, keys): (Address, BTreeSet<B256>)| AccessListItem {
            address,
            storage_keys: keys.into_iter().collect(),
        };
        Self(touched.0.into_iter().map(item).collect())
    }
}
