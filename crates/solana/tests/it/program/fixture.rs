use std::path::Path;

use alloy_primitives::{Address as Attester, B256, U256, keccak256};
use causeway_domain::{Attestation, IntentTerms, SignatureBytes};
use causeway_solana::program::{
    EscrowError, EscrowProgram, OrderAccount, SANDBOX_PROGRAM, SOLANA_CHAIN_ID, TokenSource,
    associated_token_account,
};
use causeway_solana::{TOKEN_2022_PROGRAM, TOKEN_PROGRAM};
use k256::ecdsa::SigningKey;
use litesvm::LiteSVM;
use litesvm::types::TransactionMetadata;
use solana_account::Account;
use solana_address::Address;
use solana_clock::Clock;
use solana_instruction::error::InstructionError;
use solana_instruction::{AccountMeta, Instruction};
use solana_message::{Message, VersionedMessage};
use solana_signature::Signature;
use solana_transaction::versioned::VersionedTransaction;
use solana_transaction_error::TransactionError;

use super::tokens::{mint_data, token_data};

pub(super) const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);
pub(super) const SOL: u64 = 1_000_000_000;
pub(super) const NOW: u64 = 1_800_000_000;
pub(super) const AMOUNT: u64 = 5_000_000;
pub(super) const OUT: u64 = 7_000_000;
pub(super) const MIN_GRACE: u64 = 60;
/// The rent-exempt minimum of an account without data.
pub(super) const MIN_RENT_EXEMPT_LAMPORTS: u64 = 890_880;
const LOADER: Address = Address::from_str_const("BPFLoaderUpgradeab1e11111111111111111111111");
const SYSTEM: Address = Address::new_from_array([0; 32]);

/// The parties. They differ in their first byte, and none is an address of the runtime.
pub(super) const DEPLOYER: Address = address_number(1);
pub(super) const USER: Address = address_number(2);
pub(super) const FILLER: Address = address_number(3);
pub(super) const PAYEE: Address = address_number(4);
pub(super) const REFERRER: Address = address_number(5);
pub(super) const REFUND: Address = address_number(6);
pub(super) const RECIPIENT: Address = address_number(7);
pub(super) const STRANGER: Address = address_number(8);
const SPONSOR: Address = address_number(9);
pub(super) const MINT: Address = address_number(10);
pub(super) const MINT_22: Address = address_number(11);

pub(super) const fn address_number(number: u8) -> Address {
    let mut bytes = [77; 32];
    bytes[0] = number;
    Address::new_from_array(bytes)
}

pub(super) fn word(address: Address) -> B256 {
    address.to_bytes().into()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coin {
    Sol,
    Spl,
    Spl22,
}

impl Coin {
    pub(super) const ALL: [Self; 3] = [Self::Sol, Self::Spl, Self::Spl22];

    pub(super) const fn mint(self) -> Address {
        match self {
            Self::Sol => SYSTEM,
            Self::Spl => MINT,
            Self::Spl22 => MINT_22,
        }
    }

    pub(super) const fn program(self) -> Option<Address> {
        match self {
            Self::Sol => None,
            Self::Spl => Some(TOKEN_PROGRAM),
            Self::Spl22 => Some(TOKEN_2022_PROGRAM),
        }
    }

    /// Where this wallet keeps the coin.
    pub(super) fn account(self, wallet: Address) -> Address {
        self.program().map_or(wallet, |program| associated_token_account(&wallet, &self.mint(), &program))
    }

    pub(super) fn source(self, wallet: Address) -> Option<TokenSource> {
        let account = self.account(wallet);
        self.program().map(|token_program| TokenSource { account, token_program })
    }
}

/// The compute units that a transaction took, or why it failed.
pub(super) type Outcome = Result<u64, TransactionError>;

pub(super) struct ProgramFixture {
    pub(super) svm: LiteSVM,
    pub(super) attesters: Vec<SigningKey>,
    pub(super) now: u64,
}

impl ProgramFixture {
    /// A chain with the program, its first three attesters (two must agree) and funded accounts.
    pub(super) fn new() -> Self {
        let mut fixture = Self::with_deployed_program();
        let members = fixture.members(0..3);
        fixture.send(PROGRAM.init(DEPLOYER, MIN_GRACE, 2, &members)).unwrap();
        fixture
    }

    /// The same before the first epoch.
    pub(super) fn with_deployed_program() -> Self {
        let mut svm = LiteSVM::default()
            .with_mainnet_features()
            .with_builtins()
            .with_sysvars()
            .with_feature_accounts()
            .with_default_programs()
            .with_sigverify(false)
            .with_blockhash_check(false)
            .with_transaction_history(0);
        for (address, account) in program_accounts(Some(DEPLOYER)) {
            svm.set_account(address, account).unwrap();
        }
        let mut keys: Vec<_> = (1..=16u8).map(|seed| SigningKey::from_slice(&[seed; 32]).unwrap()).collect();
        keys.sort_by_key(attester);
        let mut fixture = Self { svm, attesters: keys, now: 0 };
        fixture.set_time(NOW);
        fixture.put_data(MINT, TOKEN_PROGRAM, mint_data(6, &[]));
        fixture.put_data(MINT_22, TOKEN_2022_PROGRAM, mint_data(6, &[(18, vec![0; 64])]));
        for person in [DEPLOYER, USER, FILLER, PAYEE, REFERRER, REFUND, RECIPIENT, STRANGER, SPONSOR] {
            fixture.put_lamports(person, 100 * SOL);
            for coin in [Coin::Spl, Coin::Spl22] {
                fixture.put_tokens(coin, person, 100 * AMOUNT);
            }
        }
        fixture
    }

    pub(super) fn set_time(&mut self, now: u64) {
        self.now = now;
        self.svm.set_sysvar(&Clock {
            unix_timestamp: i64::try_from(now).unwrap(),
            slot: 9,
            ..Clock::default()
        });
    }

    /// One instruction in a transaction whose fee a sponsor pays, so that only the program changes balances of the
    /// parties.
    pub(super) fn send(&mut self, instruction: Instruction) -> Outcome {
        self.send_all(&[instruction])
    }

    pub(super) fn send_all(&mut self, instructions: &[Instruction]) -> Outcome {
        self.transact(instructions).map(|done| done.compute_units_consumed)
    }

    /// One instruction; what the programs wrote into the transaction's log.
    pub(super) fn send_logged(&mut self, instruction: Instruction) -> Result<Vec<String>, TransactionError> {
        self.transact(&[instruction]).map(|done| done.logs)
    }

    fn transact(&mut self, instructions: &[Instruction]) -> Result<TransactionMetadata, TransactionError> {
        let message = VersionedMessage::Legacy(Message::new(instructions, Some(&SPONSOR)));
        let signers = usize::from(message.header().num_required_signatures);
        let transaction = VersionedTransaction { signatures: vec![Signature::default(); signers], message };
        self.svm.send_transaction(transaction).map_err(|failed| failed.err)
    }

    /// Asserts that the program refuses the instruction with this error.
    #[track_caller]
    pub(super) fn assert_refused(&mut self, instruction: Instruction, why: EscrowError) {
        let code = match self.send(instruction) {
            Err(TransactionError::InstructionError(_, InstructionError::Custom(code))) => Ok(code),
            other => Err(other),
        };
        assert_eq!(code.map(EscrowError::from_code), Ok(Some(why)));
    }

    pub(super) fn members(&self, which: std::ops::Range<usize>) -> Vec<Attester> {
        self.attesters[which].iter().map(attester).collect()
    }

    pub(super) fn attest(&self, attestation: &Attestation, which: &[usize]) -> Vec<SignatureBytes> {
        self.sign(PROGRAM.attestation_digest(attestation), which)
    }

    pub(super) fn sign(&self, digest: B256, which: &[usize]) -> Vec<SignatureBytes> {
        which.iter().map(|place| sign(&self.attesters[*place], digest)).collect()
    }

    pub(super) fn put_lamports(&mut self, address: Address, lamports: u64) {
        self.svm.set_account(address, Account { lamports, owner: SYSTEM, ..Account::default() }).unwrap();
    }

    pub(super) fn put_data(&mut self, address: Address, owner: Address, data: Vec<u8>) {
        let lamports = self.svm.minimum_balance_for_rent_exemption(data.len());
        self.svm.set_account(address, Account { lamports, data, owner, ..Account::default() }).unwrap();
    }

    /// Sets the balance of a wallet's associated token account.
    pub(super) fn put_tokens(&mut self, coin: Coin, wallet: Address, amount: u64) {
        let data = token_data(coin.mint(), wallet, amount, &[]);
        self.put_data(coin.account(wallet), coin.program().unwrap(), data);
    }

    /// Sets a wallet's balance.
    pub(super) fn put(&mut self, coin: Coin, wallet: Address, amount: u64) {
        if coin == Coin::Sol {
            self.put_lamports(wallet, amount);
        } else {
            self.put_tokens(coin, wallet, amount);
        }
    }

    pub(super) fn lamports(&self, address: Address) -> u64 {
        self.svm.get_balance(&address).unwrap_or_default()
    }

    pub(super) fn data(&self, address: Address) -> Vec<u8> {
        self.svm.get_account(&address).map(|account| account.data).unwrap_or_default()
    }

    /// A wallet's balance.
    pub(super) fn balance(&self, coin: Coin, wallet: Address) -> u64 {
        match coin {
            Coin::Sol => self.lamports(wallet),
            _ => tokens_in(&self.data(coin.account(wallet))),
        }
    }

    /// What the escrow holds for an order.
    pub(super) fn escrowed(&self, coin: Coin, id: B256) -> u64 {
        match coin {
            Coin::Sol => self.lamports(PROGRAM.order(id)) - self.order(id).rent,
            _ => tokens_in(&self.data(PROGRAM.vault(id))),
        }
    }

    pub(super) fn order(&self, id: B256) -> OrderAccount {
        let account = self.svm.get_account(&PROGRAM.order(id)).unwrap();
        assert_eq!(account.owner, PROGRAM.id);
        OrderAccount::parse(&account.data).unwrap()
    }

    /// Opens an order from its user's wallet.
    pub(super) fn open(&mut self, coin: Coin, terms: &IntentTerms) -> Outcome {
        self.send(PROGRAM.open(terms, USER, coin.source(USER)))
    }

    pub(super) fn with_open_order(coin: Coin, terms: &IntentTerms) -> Self {
        let mut fixture = Self::new();
        fixture.open(coin, terms).unwrap();
        fixture
    }
}

fn tokens_in(data: &[u8]) -> u64 {
    data.get(64..72).map_or(0, |amount| u64::from_le_bytes(amount.try_into().unwrap()))
}

/// An order from Solana to another chain.
pub(super) fn terms_to_other_chain(coin: Coin) -> IntentTerms {
    IntentTerms {
        origin_chain_id: SOLANA_CHAIN_ID,
        escrow: word(PROGRAM.id),
        user: word(USER),
        nonce: B256::repeat_byte(0xab),
        input_token: word(coin.mint()),
        amount_in: U256::from(AMOUNT),
        refund_to: word(REFUND),
        filler: word(FILLER),
        payee: word(PAYEE),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: 8_453,
        settler: Attester::repeat_byte(0x5e).into_word(),
        output_token: Attester::repeat_byte(0x70).into_word(),
        amount_out: U256::from(OUT) * U256::from(1_000_000_000_000_u64),
        recipient: Attester::repeat_byte(0x11).into_word(),
        open_deadline: NOW + 600,
        fill_deadline: NOW + 1_500,
        refund_at: NOW + 1_500 + 21_600,
        epoch: 1,
    }
}

/// An order within Solana.
pub(super) fn terms_within_solana(coin: Coin, out: Coin) -> IntentTerms {
    IntentTerms {
        destination_chain_id: SOLANA_CHAIN_ID,
        settler: word(PROGRAM.id),
        output_token: word(out.mint()),
        amount_out: U256::from(OUT),
        recipient: word(RECIPIENT),
        ..terms_to_other_chain(coin)
    }
}

/// An order from another chain to Solana.
pub(super) fn terms_from_other_chain(out: Coin) -> IntentTerms {
    let evm = |byte| Attester::repeat_byte(byte).into_word();
    IntentTerms {
        origin_chain_id: 8_453,
        escrow: evm(0xe5),
        user: evm(0x12),
        input_token: evm(0x13),
        amount_in: U256::MAX,
        refund_to: evm(0x12),
        filler: evm(0x14),
        payee: evm(0x15),
        ..terms_within_solana(Coin::Sol, out)
    }
}

pub(super) fn filled(terms: &IntentTerms) -> Attestation {
    Attestation::Filled { order: terms.id(), filled_at: NOW + 700, fill_ref: B256::repeat_byte(0xcd) }
}

/// The instruction that claims on [`filled`], signed by these attesters.
pub(super) fn claim_by(
    fixture: &ProgramFixture,
    coin: Coin,
    terms: &IntentTerms,
    which: &[usize],
) -> Instruction {
    let signatures = fixture.attest(&filled(terms), which);
    PROGRAM.claim(terms, coin.program(), (NOW + 700, B256::repeat_byte(0xcd)), &signatures)
}

/// The instruction with one account replaced and its terms unchanged.
pub(super) fn with_account(mut instruction: Instruction, at: usize, account: Address) -> Instruction {
    let named = std::mem::replace(&mut instruction.accounts[at].pubkey, account);
    let prefix = match instruction.data[0] {
        4 | 5 | 7 => 1,
        6 => 2,
        14 => 66,
        15 => 3 + usize::from(instruction.data[2]),
        _ => return instruction,
    };
    let (head, mut rest) = instruction.data.split_at(prefix);
    let mut data = head.to_vec();
    while let Some((&length, after)) = rest.split_first() {
        let (content, after) = after.split_at(if length <= 32 { length.into() } else { 0 });
        if usize::from(length) == 64 + at {
            data.push(32);
            data.extend(named.as_array());
        } else {
            data.push(length);
            data.extend(content);
        }
        rest = after;
    }
    instruction.data = data;
    instruction
}

pub(super) fn unsigned_caller() -> AccountMeta {
    AccountMeta::new_readonly(STRANGER, false)
}

pub(super) fn attester(key: &SigningKey) -> Attester {
    let point = key.verifying_key().to_encoded_point(false);
    Attester::from_slice(&keccak256(&point.as_bytes()[1..])[12..])
}

pub(super) fn sign(key: &SigningKey, digest: B256) -> SignatureBytes {
    let (signature, recovery) = key.sign_prehash_recoverable(digest.as_slice()).unwrap();
    let mut bytes = [0; 65];
    bytes[..64].copy_from_slice(&signature.to_bytes());
    bytes[64] = 27 + recovery.to_byte();
    bytes.into()
}

/// A committed file of the programs.
pub(super) fn committed(file: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/solana");
    std::fs::read(folder.join(file)).unwrap()
}

/// The escrow program as its loader keeps it.
pub(super) fn program_accounts(authority: Option<Address>) -> [(Address, Account); 2] {
    loader_accounts(PROGRAM.id, "escrow.so", authority)
}

/// A committed program as its loader keeps it: the account with the code, and the one that is called.
pub(super) fn loader_accounts(
    program: Address,
    file: &str,
    authority: Option<Address>,
) -> [(Address, Account); 2] {
    let code = EscrowProgram::new(program).code();
    let mut data = vec![3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, u8::from(authority.is_some())];
    data.extend(authority.unwrap_or_default().to_bytes());
    data.extend(committed(file));
    let called = [&[2, 0, 0, 0][..], code.as_ref()].concat();
    let held = |data, executable| Account {
        lamports: 10 * SOL,
        data,
        owner: LOADER,
        executable,
        rent_epoch: u64::MAX,
    };
    [(code, held(data, false)), (program, held(called, true))]
}
