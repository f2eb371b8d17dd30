use causeway_catalog::Catalog;
use causeway_domain::ports::Filler;
use causeway_domain::{Ask, QuoteKey, QuoteKeys, RouteSeal};
use tokio::time::advance;

use super::*;
use crate::build_deposit::fake::FakeDepositBuilder;
use crate::call_limit::MAX_PER_SECOND;
use crate::fillers::fake::{Behavior, Fake, ask};
use crate::fillers::{Fillers, NoOffer, QuoteOptions};
use crate::request_quote::{QuoteError, QuoteRequest, RequestQuote};

const REASON: &str = "its contract refuses the coin (reverted: not me)";

fn refuses() -> PaymentCheck {
    PaymentCheck::Refuses(REASON.to_owned())
}

fn recipient(number: u8) -> Address {
    Address::Evm([number; 20].into())
}

/// An ask into the coin of an EVM chain.
fn coin_ask() -> Ask {
    let to = TokenId::native(ChainId::new(10).unwrap());
    Ask { to, recipient: recipient(7), ..ask() }
}

struct Scene {
    builder: Arc<FakeDepositBuilder>,
    quotes: RequestQuote,
}

impl Scene {
    fn new(check: PaymentCheck, delay: Duration, fillers: &[Arc<Fake>]) -> Self {
        let builder = FakeDepositBuilder::new(coin_ask().to.chain(), 1, 2);
        *builder.payment.lock().unwrap() = (Some(check), delay);
        let fillers = fillers.iter().map(|filler| Arc::clone(filler) as Arc<dyn Filler>).collect();
        let fillers = Fillers::new(fillers, &QuoteOptions::default()).unwrap();
        let seal = RouteSeal::new(&QuoteKeys { current: QuoteKey::new([7; 32]), older: Vec::new() });
        let quotes = RequestQuote::new(Arc::new(Catalog::bundled().unwrap()), Arc::new(seal), fillers);
        let builders: HashMap<ChainId, Arc<dyn DepositBuilder>> =
            HashMap::from([(builder.chain(), Arc::clone(&builder) as Arc<dyn DepositBuilder>)]);
        Self { builder, quotes: quotes.with_recipient_checks(builders) }
    }

    /// How many routes there are, or why none.
    async fn routes(&self, ask: Ask) -> Result<usize, Vec<String>> {
        let routes = self.quotes.ask(QuoteRequest { ask, integrator: None }).unwrap();
        match routes.gather().await {
            Ok(quote) => Ok(quote.routes.len()),
            Err(QuoteError::CannotFill { missing, .. }) => {
                Err(missing.iter().map(|missing| missing.reason.to_string()).collect())
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn simulations(&self) -> usize {
        self.builder.simulations.load(std::sync::atomic::Ordering::Relaxed)
    }
}

fn two_fillers() -> [Arc<Fake>; 2] {
    [Fake::new("one", Behavior::Offers(1_000)), Fake::after("two", Behavior::Offers(2_000), 30)]
}

#[tokio::test(start_paused = true)]
async fn rule_25_a_recipient_that_refuses_gets_no_route_and_the_contracts_words() {
    let scene = Scene::new(refuses(), Duration::from_millis(40), &two_fillers());
    let words = format!("the recipient cannot be paid: {REASON}");
    assert_eq!(scene.routes(coin_ask()).await, Err(vec![words.clone(), words]));
    assert_eq!(scene.simulations(), 1, "one for all fillers");
    // A stream says the same.
    let mut routes = scene.quotes.ask(QuoteRequest { ask: coin_ask(), integrator: None }).unwrap();
    let Err(QuoteError::CannotFill { missing, .. }) = routes.next().await else { panic!("a route came") };
    assert!(missing.iter().all(|missing| missing.reason == NoOffer::Unpayable(REASON.to_owned())));
    let taken = Scene::new(PaymentCheck::Takes, Duration::from_millis(40), &two_fillers());
    assert_eq!(taken.routes(coin_ask()).await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn rule_25_a_quote_waits_for_no_node_and_the_next_one_knows() {
    let filler = Fake::new("one", Behavior::Offers(1_000));
    let scene = Scene::new(refuses(), Duration::from_secs(5), &[filler]);
    let begun = Instant::now();
    assert_eq!(scene.routes(coin_ask()).await, Ok(1), "nothing is known yet");
    assert_eq!(begun.elapsed(), WAIT);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let begun = Instant::now();
    assert!(scene.routes(coin_ask()).await.is_err());
    assert_eq!((begun.elapsed(), scene.simulations()), (Duration::ZERO, 1));
    advance(TTL).await;
    assert_eq!(scene.routes(coin_ask()).await, Ok(1), "it is asked again");
    assert_eq!(scene.simulations(), 2);
}

#[tokio::test(start_paused = true)]
async fn only_contracts_are_simulated_for_each_amount_and_only_for_native_coin() {
    let scene = Scene::new(PaymentCheck::NoCode, Duration::ZERO, &two_fillers());
    let checks = &scene.quotes.recipients;
    let look = async |amount: u64| match checks.begin(coin_ask().to, recipient(7), U256::from(amount)) {
        Check::Known(known) => known,
        Check::Pending(pending) => pending.await,
    };
    for amount in [1, 2, 3] {
        assert_eq!(look(amount).await, None);
    }
    assert_eq!(scene.simulations(), 1, "who has no code takes everything");
    advance(TTL).await;
    *scene.builder.payment.lock().unwrap() = (Some(refuses()), Duration::ZERO);
    for amount in [1, 2, 2, 1] {
        assert_eq!(look(amount).await.as_deref(), Some(REASON));
    }
    assert_eq!(scene.simulations(), 4, "a contract may take one amount and not another");
    let token = TokenId::new(coin_ask().to.chain(), "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85").unwrap();
    assert_eq!(scene.routes(Ask { to: token, ..coin_ask() }).await, Ok(2));
    assert_eq!(scene.simulations(), 4, "a transfer of a token calls nobody");
}

#[tokio::test(start_paused = true)]
async fn strangers_cannot_have_any_number_of_recipients_simulated() {
    let scene = Scene::new(refuses(), Duration::ZERO, &two_fillers());
    let checks = &scene.quotes.recipients;
    for first in [0, 100] {
        let begin = |number| checks.begin(coin_ask().to, recipient(number), U256::ONE);
        let simulated = (first..first + 100).map(begin).filter(|check| matches!(check, Check::Pending(_)));
        assert_eq!(simulated.count(), MAX_PER_SECOND as usize);
        advance(Duration::from_secs(1)).await;
    }
}
