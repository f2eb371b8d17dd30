use std::path::Path;

use alloy_primitives::{Address as Attester, B256, U256, keccak256};
use causeway_domain::{Attestation, SignatureBytes, Terms};
use causeway_solana::program::{
    EscrowProgram, OrderAccount, Refusal, SANDBOX_PROGRAM, SOLANA_CHAIN_ID, TokenSource,
    associated_token_account,
};
use causeway_solana::{TOKEN_2022_PROGRAM, TOKEN_PROGRAM};
use k256::ecdsa::SigningKey;
use litesvm::LiteSVM;
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
/// What every account without data must hold.
pub(super) const LEAST: u64 = 890_880;
const LOADER: Address = Address::from_str_const("BPFLoaderUpgradeab1e11111111111111111111111");
const SYSTEM: Address = Address::new_from_array([0; 32]);

/// The people. They differ in their first byte, and none of them is an address of the runtime.
pub(super) const DEPLOYER: Address = who(1);
pub(super) const USER: Address = who(2);
pub(super) const FILLER: Address = who(3);
pub(super) const PAYEE: Address = who(4);
pub(super) const REFERRER: Address = who(5);
pub(super) const REFUND: Address = who(6);
pub(super) const RECIPIENT: Address = who(7);
pub(super) const STRANGER: Address = who(8);
const SPONSOR: Address = who(9);
pub(super) const MINT: Address = who(10);
pub(super) const MINT_22: Address = who(11);

pub(super) const fn who(number: u8) -> Address {
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

/// What became of a transaction: the compute units it took, or why it failed.
pub(super) type Outcome = Result<u64, TransactionError>;

pub(super) struct Bench {
    pub(super) svm: LiteSVM,
    pub(super) attesters: Vec<SigningKey>,
    pub(super) now: u64,
}

impl Bench {
    /// A chain with the program, its first three attesters (two must agree) and people who have money.
    pub(super) fn new() -> Self {
        let mut bench = Self::deployed();
        let members = bench.members(0..3);
        bench.send(PROGRAM.init(DEPLOYER, MIN_GRACE, 2, &members)).unwrap();
        bench
    }

    /// The same before the first epoch.
    pub(super) fn deployed() -> Self {
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
        let mut bench = Self { svm, attesters: keys, now: 0 };
        bench.set_time(NOW);
        bench.put_data(MINT, TOKEN_PROGRAM, mint_data(6, &[]));
        bench.put_data(MINT_22, TOKEN_2022_PROGRAM, mint_data(6, &[(18, vec![0; 64])]));
        for person in [DEPLOYER, USER, FILLER, PAYEE, REFERRER, REFUND, RECIPIENT, STRANGER, SPONSOR] {
            bench.put_lamports(person, 100 * SOL);
            for coin in [Coin::Spl, Coin::Spl22] {
                bench.put_tokens(coin, person, 100 * AMOUNT);
            }
        }
        bench
    }

    pub(super) fn set_time(&mut self, now: u64) {
        self.now = now;
        self.svm.set_sysvar(&Clock {
            unix_timestamp: i64::try_from(now).unwrap(),
            slot: 9,
            ..Clock::default()
        });
    }

    /// One instruction in a transaction whose fee a sponsor pays, so that only the program moves the people's money.
    pub(super) fn send(&mut self, instruction: Instruction) -> Outcome {
        self.send_all(&[instruction])
    }

    pub(super) fn send_all(&mut self, instructions: &[Instruction]) -> Outcome {
        let message = VersionedMessage::Legacy(Message::new(instructions, Some(&SPONSOR)));
        let signers = usize::from(message.header().num_required_signatures);
        let transaction = VersionedTransaction { signatures: vec![Signature::default(); signers], message };
        match self.svm.send_transaction(transaction) {
            Ok(done) => Ok(done.compute_units_consumed),
            Err(failed) => Err(failed.err),
        }
    }

    /// Sends what must be refused by the program, with these very words, and must leave no trace.
    #[track_caller]
    pub(super) fn refuse(&mut self, instruction: Instruction, why: Refusal) {
        let code = match self.send(instruction) {
            Err(TransactionError::InstructionError(_, InstructionError::Custom(code))) => Ok(code),
            other => Err(other),
        };
        assert_eq!(code.map(Refusal::from_code), Ok(Some(why)));
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

    /// Gives a wallet its usual account of a token with so much in it.
    pub(super) fn put_tokens(&mut self, coin: Coin, wallet: Address, amount: u64) {
        let data = token_data(coin.mint(), wallet, amount, &[]);
        self.put_data(coin.account(wallet), coin.program().unwrap(), data);
    }

    /// Lets a wallet have so much of a coin.
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

    /// What a wallet has of a coin.
    pub(super) fn holds(&self, coin: Coin, wallet: Address) -> u64 {
        match coin {
            Coin::Sol => self.lamports(wallet),
            _ => tokens_in(&self.data(coin.account(wallet))),
        }
    }

    /// What lies in escrow for an order.
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

    /// Opens an order from its user's own money.
    pub(super) fn open(&mut self, coin: Coin, terms: &Terms) -> Outcome {
        self.send(PROGRAM.open(terms, USER, coin.source(USER)))
    }

    pub(super) fn opened(coin: Coin, terms: &Terms) -> Self {
        let mut bench = Self::new();
        bench.open(coin, terms).unwrap();
        bench
    }
}

fn tokens_in(data: &[u8]) -> u64 {
    data.get(64..72).map_or(0, |amount| u64::from_le_bytes(amount.try_into().unwrap()))
}

/// An order from Solana to another chain.
pub(super) fn away(coin: Coin) -> Terms {
    Terms {
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
pub(super) fn within(coin: Coin, out: Coin) -> Terms {
    Terms {
        destination_chain_id: SOLANA_CHAIN_ID,
        settler: word(PROGRAM.id),
        output_token: word(out.mint()),
        amount_out: U256::from(OUT),
        recipient: word(RECIPIENT),
        ..away(coin)
    }
}

/// An order from another chain to Solana.
pub(super) fn here(out: Coin) -> Terms {
    let evm = |byte| Attester::repeat_byte(byte).into_word();
    Terms {
        origin_chain_id: 8_453,
        escrow: evm(0xe5),
        user: evm(0x12),
        input_token: evm(0x13),
        amount_in: U256::MAX,
        refund_to: evm(0x12),
        filler: evm(0x14),
        payee: evm(0x15),
        ..within(Coin::Sol, out)
    }
}

pub(super) fn filled(terms: &Terms) -> Attestation {
    Attestation::Filled { order: terms.id(), filled_at: NOW + 700, fill_ref: B256::repeat_byte(0xcd) }
}

/// The instruction that claims on [`filled`], signed by these attesters.
pub(super) fn claim_by(bench: &Bench, coin: Coin, terms: &Terms, which: &[usize]) -> Instruction {
    let signatures = bench.attest(&filled(terms), which);
    PROGRAM.claim(terms, coin.program(), (NOW + 700, B256::repeat_byte(0xcd)), &signatures)
}

/// The instruction with one of its accounts exchanged, and its terms as they were.
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

pub(super) fn nobody() -> AccountMeta {
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

pub(super) fn committed() -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contracts/solana");
    std::fs::read(folder.join("escrow.so")).unwrap()
}

/// The program as its loader keeps it: the account that is called, and the one with the code.
pub(super) fn program_accounts(authority: Option<Address>) -> [(Address, Account); 2] {
    let mut data = vec![3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, u8::from(authority.is_some())];
    data.extend(authority.unwrap_or_default().to_bytes());
    data.extend(committed());
    let program = [&[2, 0, 0, 0][..], PROGRAM.code().as_ref()].concat();
    let held = |data, executable| Account {
        lamports: 10 * SOL,
        data,
        owner: LOADER,
        executable,
        rent_epoch: u64::MAX,
    };
    [(PROGRAM.code(), held(data, false)), (PROGRAM.id, held(program, true))]
}
