use alloy_primitives::{Address, Bytes, Log, TxKind, U256};
use alloy_sol_types::{SolCall, sol};
use revm::context::TxEnv;
use revm::context::result::ExecutionResult;
use revm::database::{CacheDB, EmptyDB};
use revm::primitives::hardfork::SpecId;
use revm::state::{AccountInfo, Bytecode};
use revm::{Context, Database, ExecuteCommitEvm, MainBuilder, MainContext};

use crate::evm::GenesisAccount;

sol! {
    interface Token {
        function name() external view returns (string);
        function symbol() external view returns (string);
        function decimals() external view returns (uint8);
        function totalSupply() external view returns (uint256);
        function balanceOf(address owner) external view returns (uint256);
        function allowance(address owner, address spender) external view returns (uint256);
        function transfer(address to, uint256 amount) external returns (bool);
        function approve(address spender, uint256 amount) external returns (bool);
        function mint(address to, uint256 amount) external;
        function faucet() external view returns (address);
        function version() external view returns (string);
        function nonces(address owner) external view returns (uint256);
        function DOMAIN_SEPARATOR() external view returns (bytes32);
        function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;
        function deposit() external payable;
        function withdraw(uint256 amount) external;
        function taxBasisPoints() external view returns (uint256);
    }
}

/// An interpreter over the genesis accounts, without blocks or fees.
pub(super) struct Machine {
    pub(super) chain_id: u64,
    db: CacheDB<EmptyDB>,
}

/// The outcome of a call: output and logs, or revert data.
pub(super) type Ended = Result<(Bytes, Vec<Log>), Bytes>;

impl Machine {
    pub(super) fn new(chain_id: u64, accounts: Vec<GenesisAccount>) -> Self {
        let mut db = CacheDB::new(EmptyDB::default());
        for GenesisAccount { address, balance, nonce, code, storage } in accounts {
            let mut info = AccountInfo { balance, nonce, ..AccountInfo::default() };
            if !code.is_empty() {
                info.set_code(Bytecode::new_raw(code));
            }
            db.insert_account_info(address, info);
            for (place, value) in storage {
                db.insert_account_storage(address, place, value).unwrap();
            }
        }
        Self { chain_id, db }
    }

    pub(super) fn send(&mut self, from: Address, to: Address, value: U256, data: impl Into<Bytes>) -> Ended {
        let tx = TxEnv {
            caller: from,
            kind: TxKind::Call(to),
            value,
            data: data.into(),
            gas_limit: 10_000_000,
            chain_id: Some(self.chain_id),
            nonce: self.account(from).nonce,
            ..TxEnv::default()
        };
        let mut evm = Context::mainnet()
            .with_db(&mut self.db)
            .modify_cfg_chained(|cfg| {
                cfg.set_spec_and_mainnet_gas_params(SpecId::PRAGUE);
                cfg.chain_id = self.chain_id;
            })
            .build_mainnet();
        match evm.transact_commit(tx).unwrap() {
            ExecutionResult::Success { output, logs, .. } => Ok((output.into_data(), logs)),
            ExecutionResult::Revert { output, .. } => Err(output),
            ExecutionResult::Halt { reason, .. } => Err(format!("{reason:?}").into_bytes().into()),
        }
    }

    /// Calls a function and reads its answer.
    pub(super) fn call<C: SolCall>(&mut self, from: Address, to: Address, call: &C) -> C::Return {
        let (output, _) = self.send(from, to, U256::ZERO, call.abi_encode()).unwrap();
        C::abi_decode_returns(&output).unwrap()
    }

    pub(super) fn account(&mut self, address: Address) -> AccountInfo {
        self.db.basic(address).unwrap().unwrap_or_default()
    }

    pub(super) fn code(&mut self, address: Address) -> Bytes {
        self.account(address).code.unwrap_or_default().original_bytes()
    }

    pub(super) fn clear(&mut self, address: Address) {
        self.db.insert_account_info(address, AccountInfo::default());
    }
}
