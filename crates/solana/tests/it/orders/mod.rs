//! Following, sending and attesting orders on the sandbox chain.

mod attester_view;
mod following;
mod forwarding;
mod hostile_history;
mod payouts;
mod rent_refunds;
mod tx_sender;

use std::sync::Arc;

use alloy_primitives::{B256, U256};
use causeway_domain::ports::{ChainAction, Progress, TxSender as _};
use causeway_domain::{Address as AnyAddress, IntentTerms, SOLANA_CHAIN_ID, SignatureBytes};
use causeway_sandbox::genesis::{Roles, SolanaWallet};
use causeway_solana::orders::{SolanaSendConfig, SolanaTxSender};
use causeway_solana::program::TokenSource;
use causeway_solana::{SolanaKey, TOKEN_PROGRAM};
use causeway_testing::MemoryStore;
use jiff::Timestamp;
use k256::ecdsa::SigningKey;
use solana_address::Address;
use solana_signer::Signer as _;

use crate::sandbox_chain::{PROGRAM, SandboxChain, USDC, usdc_of, user};

/// A sandbox chain, its roles, and an outbox that outlives each sender.
struct OrderFixture {
    sandbox: SandboxChain,
    outbox: Arc<MemoryStore>,
    roles: Roles,
}

impl OrderFixture {
    async fn new() -> Self {
        Self { sandbox: SandboxChain::start().await, outbox: Arc::default(), roles: Roles::new().unwrap() }
    }

    /// A sender that shares chain and outbox with earlier senders, like a restarted process.
    fn sender(&self, wallet: &SolanaWallet) -> SolanaTxSender {
        let key = SolanaKey::from_seed(wallet.seed.0);
        let programs = std::slice::from_ref(&self.sandbox.deployment);
        let sending = SolanaSendConfig { max_compute_unit_price: 10 };
        SolanaTxSender::new(self.sandbox.rpc.clone(), key, self.outbox.clone(), sending, programs)
    }

    fn filler(&self) -> SolanaTxSender {
        self.sender(&self.roles.fillers[0].solana_hot)
    }

    fn relayer(&self) -> SolanaTxSender {
        self.sender(&self.roles.solana_relayer)
    }

    /// Terms of the first test wallet that name the first filler.
    async fn terms(&self, input: Option<Address>) -> IntentTerms {
        let filler = &self.roles.fillers[0];
        IntentTerms {
            filler: filler.solana_hot.address.into(),
            payee: filler.solana_payee.address.into(),
            ..self.sandbox.terms(input).await
        }
    }

    /// The same terms within Solana, to a wallet that does not exist yet.
    async fn terms_within_solana(&self, input: Option<Address>, output: Option<Address>) -> IntentTerms {
        IntentTerms {
            destination_chain_id: SOLANA_CHAIN_ID.get(),
            settler: self.sandbox.deployment.program,
            output_token: output.map_or(B256::ZERO, |mint| mint.to_bytes().into()),
            amount_out: U256::from(7_000_000),
            recipient: recipient().to_bytes().into(),
            ..self.terms(input).await
        }
    }

    async fn open(&self, terms: &IntentTerms) {
        let payer = user();
        let account = usdc_of(&payer.pubkey());
        let source = (terms.input_token != B256::ZERO)
            .then_some(TokenSource { account, token_program: TOKEN_PROGRAM });
        self.sandbox.land(&payer, &[PROGRAM.open(terms, payer.pubkey(), source)]).await;
    }

    /// Sends and polls until the transaction has ended; slots pass meanwhile.
    async fn complete(&self, sender: &SolanaTxSender, purpose: &str, action: &ChainAction) -> Progress {
        for _ in 0..100 {
            let progress = sender.send(purpose, action, Timestamp::now()).await.unwrap();
            if matches!(progress, Progress::Succeeded(_) | Progress::Reverted(_)) {
                return progress;
            }
            self.sandbox.chain.advance(3).await.unwrap();
            sender.poll_pending(Timestamp::now()).await.unwrap();
        }
        panic!("{purpose} never ended");
    }

    async fn assert_succeeds(&self, sender: &SolanaTxSender, purpose: &str, action: &ChainAction) {
        let progress = self.complete(sender, purpose, action).await;
        assert!(matches!(progress, Progress::Succeeded(_)), "{purpose}: {progress:?}");
    }

    async fn lamports(&self, address: Address) -> u64 {
        self.sandbox.chain.account(address).await.unwrap().map_or(0, |account| account.lamports)
    }

    async fn tokens(&self, owner: Address) -> u64 {
        let account = self.sandbox.chain.account(usdc_of(&owner)).await.unwrap();
        account.map_or(0, |account| u64::from_le_bytes(account.data[64..72].try_into().unwrap()))
    }

    fn payee(&self) -> Address {
        self.roles.fillers[0].solana_payee.address.into()
    }

    /// The attesters' signatures over a digest, signers ascending.
    fn signatures(&self, digest: B256, count: usize) -> Vec<SignatureBytes> {
        let mut attesters = self.roles.attesters;
        attesters.sort_by_key(|attester| attester.address);
        let sign = |key: &B256| {
            let key = SigningKey::from_slice(key.as_slice()).unwrap();
            let (signature, recovery) = key.sign_prehash_recoverable(digest.as_slice()).unwrap();
            let mut bytes = [0; 65];
            bytes[..64].copy_from_slice(&signature.to_bytes());
            bytes[64] = 27 + recovery.to_byte();
            SignatureBytes::from(bytes)
        };
        attesters.iter().take(count).map(|attester| sign(&attester.key)).collect()
    }
}

fn recipient() -> Address {
    Address::new_from_array([0xec; 32])
}

fn usdc_mint() -> AnyAddress {
    AnyAddress::Solana(USDC.to_bytes())
}
