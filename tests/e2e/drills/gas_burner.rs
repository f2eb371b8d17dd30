//! Orders whose recipient is a contract that burns gas: refused before anybody pays, and waived where it becomes one later.

use std::time::{Duration, Instant};

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256, address, keccak256};
use causeway_domain::Address;
use causeway_evm::TxRequest;
use reqwest::Method;
use tokio::sync::broadcast;

use super::audit::wait_until_ended;
use super::chains::{BASE, COIN, Chains, OPTIMISM, usdc};
use super::payer::{DepositVia, Outcome, Payer, SwapPlan};
use super::payer_key::Key;
use super::restartable_service::RestartableService;
use super::seeded_rng::SeededRng;

/// Deploys what follows a salt, at an address that is known before.
const CREATE2_DEPLOYER: EvmAddress = address!("4e59b44847b379578588920cA78FbF26c0B4956C");
/// Gas of one round of the loop below.
const ROUND: u32 = 26;
const TIMEOUT: Duration = Duration::from_mins(2);

/// A contract that burns about this much gas whenever it is paid: a loop that counts down.
fn init_code(gas: u32) -> Vec<u8> {
    let mut code = vec![0x63];
    code.extend((gas / ROUND).to_be_bytes());
    // JUMPDEST, one less, again unless it is zero, STOP.
    code.extend([0x5b, 0x60, 0x01, 0x90, 0x03, 0x80, 0x60, 0x05, 0x57, 0x00]);
    let length = u8::try_from(code.len()).unwrap();
    let mut init = vec![0x60, length, 0x60, 0x0c, 0x60, 0x00, 0x39, 0x60, length, 0x60, 0x00, 0xf3];
    init.extend(code);
    init
}

fn burner_address(gas: u32) -> Address {
    Address::Evm(CREATE2_DEPLOYER.create2(B256::ZERO, keccak256(init_code(gas))))
}

async fn deploy(chains: &Chains, payer: &Payer, chain: u64, gas: u32) {
    let Key::Evm(key) = &payer.key else { panic!("an EVM payer") };
    chains.fund_address(chain, payer.key.address(), COIN, Payer::gas_budget(chain)).await;
    let data = Bytes::from([B256::ZERO.to_vec(), init_code(gas)].concat());
    chains.send(chain, key, &TxRequest { to: CREATE2_DEPLOYER, value: U256::ZERO, data }).await;
    let Address::Evm(burner) = burner_address(gas) else { panic!("an EVM address") };
    assert!(!chains.client(chain).code(burner).await.unwrap().is_empty(), "nothing was deployed");
}

/// $20 into native coin.
fn plan(outcome: Outcome) -> SwapPlan {
    let amount = U256::from(20_000_000);
    SwapPlan { from: (BASE, usdc(BASE)), to: (OPTIMISM, COIN), amount, via: DepositVia::Call, outcome }
}

/// How a quote is refused. The first may go out before the simulation has answered: it waits for no node.
async fn quote_refusal(service: &RestartableService, payer: &Payer) -> String {
    let begun = Instant::now();
    loop {
        let answer = service.ask(Method::POST, "/v1/quotes", &payer.ask()).await;
        let message = answer.err().map(|(_, error)| error["message"].as_str().unwrap_or_default().to_owned());
        match message {
            Some(message) if message.contains("recipient cannot be paid") => return message,
            message => {
                assert!(begun.elapsed() < TIMEOUT, "a recipient that burns gas is quoted: {message:?}");
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rule_25_a_recipient_that_burns_gas_is_not_paid_for_and_stops_nobody() {
    let chains = Chains::start();
    let service = RestartableService::start(&chains.base, "");
    let mut rng = SeededRng::new(25, "gas");

    // It burns at once: nothing is quoted for it, and nothing built where it is named only then.
    for gas in [13_000_000, 28_000_000] {
        let mut hostile = Payer::new(plan(Outcome::NeverDeposited), &mut rng);
        hostile.fund(&chains).await;
        deploy(&chains, &hostile, OPTIMISM, gas).await;
        let (quote, route) = hostile.quote(&service).await;
        hostile.recipient = burner_address(gas);
        let refused = quote_refusal(&service, &hostile).await;
        assert!(refused.contains("more than 100000 gas"), "{gas}: {refused}");
        let ask = hostile.ask_to_build(&quote, &route);
        let (_, error) = service.ask(Method::POST, "/v1/deposit/build", &ask).await.unwrap_err();
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains("recipient cannot be paid"), "{gas}: {error}");
    }

    // It becomes a contract after the build, before the deposit: the filler waives, and the deposit comes back.
    let mut later = Payer::new(plan(Outcome::Refunded), &mut rng);
    later.recipient = burner_address(14_500_000);
    later.fund(&chains).await;
    later.build(&service).await;
    deploy(&chains, &later, OPTIMISM, 14_500_000).await;
    later.deposit(&chains, &service, &broadcast::channel(1).0).await;

    // Whoever else is paid there is paid meanwhile.
    let mut honest = Payer::new(plan(Outcome::Filled), &mut rng);
    honest.fund(&chains).await;
    honest.build(&service).await;
    honest.deposit(&chains, &service, &broadcast::channel(1).0).await;
    let balance = chains.balance(OPTIMISM, COIN, later.recipient).await;
    assert_eq!(balance, U256::ZERO, "the burner was paid");
    wait_until_ended(&chains, &service, &[later, honest], 25).await;
}
