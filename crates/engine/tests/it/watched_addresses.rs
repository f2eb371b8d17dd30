use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::B256;
use async_trait::async_trait;
use causeway_domain::ports::{
    AddressWatch, Arrival, ChainStore as _, Hit, OperatorStore as _, Screen, ScreenError, ScreenRequest,
};
use causeway_domain::{Address, DepositMethod, ForwardingOrder, IntentTerms, OrderStatus, RowKeys, TokenId};
use causeway_engine::{Screening, SenderScreening, WatchAddresses, WatchPolicy};
use jiff::SignedDuration;

use crate::chain_feed::ChainFeed;
use crate::fake_chain::FakeWatch;
use crate::scene::{AMOUNT_IN, OPEN_UNTIL, ORIGIN, Scene, add_order, address, input, later, raw, token};

const POLICY: WatchPolicy = WatchPolicy {
    open_every: Duration::ZERO,
    ended_every: Duration::ZERO,
    stuck_every: Duration::from_hours(1),
    ended_for: SignedDuration::from_hours(1),
    recent_for: SignedDuration::from_hours(1),
    batch_size: 400,
    max_scan_time: Duration::from_secs(1),
};

/// A token that somebody may send by mistake.
fn stray() -> TokenId {
    token(ORIGIN, 0x77)
}

/// Watches the origin's addresses as a freshly started process.
fn watch_feed(scene: &Scene, watch: &Arc<FakeWatch>) -> ChainFeed {
    watch_feed_with(scene, watch, POLICY)
}

fn watch_feed_with(scene: &Scene, watch: &Arc<FakeWatch>, policy: WatchPolicy) -> ChainFeed {
    let (orders, facts, cursors) = (scene.store.clone(), scene.store.clone(), Arc::clone(&scene.cursors));
    let tokens = vec![input(), stray()];
    let addresses = WatchAddresses::new(watch.clone(), orders, facts, cursors, tokens, policy);
    ChainFeed::new(scene, scene.store.clone(), Some(addresses))
}

/// Scans once as of that block with a fresh process.
async fn scan_fresh(scene: &Scene, watch: &Arc<FakeWatch>, block: u64) {
    scan(scene, watch, &[block]).await;
}

async fn scan(scene: &Scene, watch: &Arc<FakeWatch>, blocks: &[u64]) {
    let feed = watch_feed(scene, watch);
    for block in blocks {
        feed.finalize(*block, Vec::new());
    }
    feed.processed().await;
    feed.end().await;
}

async fn arrivals(scene: &Scene) -> Vec<Arrival> {
    scene.store.arrivals(address(0xda)).await.unwrap()
}

fn arrival(scene: &Scene, balance: u64, gained: u64, block: u64, tx: Option<&str>) -> Arrival {
    Arrival {
        order: scene.id.clone(),
        address: address(0xda),
        token: input(),
        balance: raw(balance),
        gained: raw(gained),
        block,
        tx: tx.map(str::to_owned),
    }
}

#[tokio::test]
async fn partial_payment_is_recorded_and_waits_for_the_rest() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.pay(address(0xda), input(), 400, 5);
    scan(&scene, &watch, &[5, 6, 7]).await;
    assert_eq!(arrivals(&scene).await, [arrival(&scene, 400, 400, 5, Some("0xb5"))], "once");
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
    watch.pay(address(0xda), input(), 600, 8);
    scan_fresh(&scene, &watch, 8).await;
    assert_eq!(arrivals(&scene).await[1..], [arrival(&scene, AMOUNT_IN, 600, 8, Some("0xb8"))]);
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes(), [format!("sweep:{:#x}", scene.terms.id())]);
}

/// A forwarding order that its maker may open with all of the terms.
fn forwarding(terms: &IntentTerms) -> ForwardingOrder {
    ForwardingOrder {
        origin_chain_id: terms.origin_chain_id,
        escrow: terms.escrow,
        nonce: B256::repeat_byte(9),
        maker: B256::repeat_byte(8),
        input_token: terms.input_token,
        refund_to: terms.refund_to,
        destination_chain_id: terms.destination_chain_id,
        output_token: terms.output_token,
        recipient: terms.recipient,
        rate_in: terms.amount_in,
        rate_out: terms.amount_out,
        expiry: OPEN_UNTIL,
    }
}

#[tokio::test]
async fn rule_21_a_forwarding_order_is_opened_with_exactly_its_amount_and_with_what_was_added() {
    for added in [0, 1] {
        let scene = Scene::with(|order| {
            order.method = DepositMethod::Transfer;
            order.deposit_address = Some(address(0xda));
            order.announced = true;
            order.forwarding = Some(Box::new(forwarding(&order.terms)));
        })
        .await;
        let watch = Arc::new(FakeWatch::default());
        watch.pay(address(0xda), input(), AMOUNT_IN - 1, 5);
        scan_fresh(&scene, &watch, 5).await;
        scene.run_once().await;
        assert_eq!(scene.relayer.purposes(), Vec::<String>::new(), "one unit is missing");
        watch.pay(address(0xda), input(), 1 + added, 6);
        scan_fresh(&scene, &watch, 6).await;
        scene.run_once().await;
        assert_eq!(scene.relayer.purposes(), [format!("jump:{:#x}", scene.terms.id())], "{added} added");
    }
}

/// A list of one address.
struct Listed(Address);

#[async_trait]
impl Screen for Listed {
    async fn screen(&self, ask: &ScreenRequest) -> Result<Option<Hit>, ScreenError> {
        let hit = ask.wallets.contains(&self.0).then(|| Hit {
            wallet: Some(self.0),
            by: "list".to_owned(),
            reason: "listed".to_owned(),
        });
        Ok(hit)
    }
}

fn sender_screening(scene: &Scene, watch: &Arc<FakeWatch>) -> SenderScreening {
    let row_keys = Arc::new(RowKeys::new(0));
    let screening = Screening::new(Arc::new(Listed(address(0x66))), scene.store.clone(), row_keys);
    let watches = HashMap::from([(watch.chain(), watch.clone() as Arc<dyn AddressWatch>)]);
    SenderScreening::new(Arc::new(screening), watches)
}

#[tokio::test]
async fn the_sender_of_a_transfer_is_screened_before_the_sweep_and_a_refusal_is_recorded_once() {
    for (sender, is_swept) in [(address(0x66), false), (address(0x77), true)] {
        let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
        watch.pay(address(0xda), input(), AMOUNT_IN, 5);
        watch.senders.lock().unwrap().insert("0xb5".to_owned(), sender);
        scan_fresh(&scene, &watch, 5).await;
        let worker = scene.worker().with_sender_screening(Some(sender_screening(&scene, &watch)));
        for _ in 0..3 {
            worker.run_once(later()).await.unwrap();
        }
        assert_eq!(!scene.relayer.purposes().is_empty(), is_swept, "{sender}");
        let recorded = scene.store.audit(None, 10).await.unwrap();
        assert_eq!(recorded.len(), usize::from(!is_swept), "{sender}");
    }
}

/// The newest payment is not the only one that is looked at.
#[tokio::test]
async fn a_listed_sender_does_not_hide_behind_a_later_payment() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.pay(address(0xda), input(), AMOUNT_IN - 1, 5);
    watch.pay(address(0xda), input(), 1, 6);
    let named = [("0xb5", address(0x66)), ("0xb6", address(0x77))];
    watch.senders.lock().unwrap().extend(named.map(|(tx, sender)| (tx.to_owned(), sender)));
    scan_fresh(&scene, &watch, 6).await;
    let worker = scene.worker().with_sender_screening(Some(sender_screening(&scene, &watch)));
    worker.run_once(later()).await.unwrap();
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
    assert_eq!(scene.store.audit(None, 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_transfer_of_an_unknown_sender_waits_until_it_is_known() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.pay(address(0xda), input(), AMOUNT_IN, 5);
    scan_fresh(&scene, &watch, 5).await;
    let senders = sender_screening(&scene, &watch).asking_again_after(SignedDuration::ZERO);
    let worker = scene.worker().with_sender_screening(Some(senders));
    worker.run_once(later()).await.unwrap();
    assert_eq!(scene.relayer.purposes(), Vec::<String>::new());
    assert_eq!(scene.store.audit(None, 10).await.unwrap(), [], "nobody was refused");
    watch.senders.lock().unwrap().insert("0xb5".to_owned(), address(0x77));
    worker.run_once(later() + SignedDuration::from_mins(10)).await.unwrap();
    assert_eq!(scene.relayer.purposes(), [format!("sweep:{:#x}", scene.terms.id())]);
}

#[tokio::test]
async fn a_transfer_of_an_unknown_sender_is_returned_after_the_open_deadline() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.pay(address(0xda), input(), AMOUNT_IN, 5);
    scan_fresh(&scene, &watch, 5).await;
    let worker = scene.worker().with_sender_screening(Some(sender_screening(&scene, &watch)));
    worker.run_once(later()).await.unwrap();
    scene.pass(OPEN_UNTIL + 1);
    worker.run_once(later() + SignedDuration::from_hours(1)).await.unwrap();
    assert_eq!(scene.status().await, OrderStatus::Failed);
    assert_eq!(scene.relayer.purposes(), [format!("giveback:{:#x}:5", scene.terms.id())]);
}

#[tokio::test]
async fn an_operator_may_accept_unknown_senders() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.pay(address(0xda), input(), AMOUNT_IN, 5);
    scan_fresh(&scene, &watch, 5).await;
    let senders = sender_screening(&scene, &watch).accepting_unknown(true);
    scene.worker().with_sender_screening(Some(senders)).run_once(later()).await.unwrap();
    assert_eq!(scene.relayer.purposes(), [format!("sweep:{:#x}", scene.terms.id())]);
}

#[tokio::test]
async fn partial_payment_is_returned_after_the_deposit_deadline() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.pay(address(0xda), input(), 400, 5);
    scan_fresh(&scene, &watch, 5).await;
    scene.pass(OPEN_UNTIL + 1);
    scene.run_once().await;
    assert_eq!(scene.status().await, OrderStatus::Failed);
    assert_eq!(scene.relayer.purposes(), [format!("giveback:{:#x}:5", scene.terms.id())]);
}

#[tokio::test]
async fn late_payment_is_returned_and_not_swept() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    scene.pass(OPEN_UNTIL + 1);
    scene.worker().run_once(jiff::Timestamp::now() + SignedDuration::from_hours(48)).await.unwrap();
    let order = scene.order().await;
    assert_eq!((order.status, order.due_at), (OrderStatus::Failed, None));
    watch.pay(address(0xda), input(), AMOUNT_IN, 1_100);
    scan_fresh(&scene, &watch, 1_100).await;
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes(), [format!("giveback:{:#x}:1100", scene.terms.id())]);
}

#[tokio::test]
async fn excess_is_returned_after_the_sweep() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.pay(address(0xda), input(), 1_500, 5);
    scan_fresh(&scene, &watch, 5).await;
    scene.run_once().await;
    let sweep = format!("sweep:{:#x}", scene.terms.id());
    assert_eq!(scene.relayer.purposes(), std::slice::from_ref(&sweep), "nothing is returned before it");
    scene.show(scene.opened(7)).await;
    watch.put(address(0xda), input(), 500);
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes(), std::slice::from_ref(&sweep), "the scan predates the sweep");
    scan_fresh(&scene, &watch, 9).await;
    assert_eq!(arrivals(&scene).await[1..], [arrival(&scene, 500, 0, 9, None)]);
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes(), [sweep, format!("giveback:{:#x}:9", scene.terms.id())]);
}

#[tokio::test]
async fn repeated_payment_is_detected_without_a_scan_in_between() {
    for restarts in [false, true] {
        let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
        let mut feed = watch_feed(&scene, &watch);
        watch.pay(address(0xda), input(), AMOUNT_IN, 5);
        feed.finalize(5, Vec::new());
        feed.processed().await;
        scene.show(scene.opened(7)).await;
        scene.run_once().await;
        // The sweep took all, and as much came again.
        watch.put(address(0xda), input(), 0);
        watch.pay(address(0xda), input(), AMOUNT_IN, 8);
        if restarts {
            feed.end().await;
            feed = watch_feed(&scene, &watch);
        }
        feed.finalize(9, Vec::new());
        feed.finalize(10, Vec::new());
        feed.processed().await;
        let again = arrival(&scene, AMOUNT_IN, AMOUNT_IN, 9, Some("0xb8"));
        assert_eq!(arrivals(&scene).await[1..], [again], "once; restarts: {restarts}");
        scene.run_once().await;
        let back = format!("giveback:{:#x}:9", scene.terms.id());
        assert_eq!(scene.relayer.purposes().last(), Some(&back));
        feed.end().await;
    }
}

#[tokio::test]
async fn payment_repeated_after_a_return_is_returned_again() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    scene.pass(OPEN_UNTIL + 1);
    scene.worker().run_once(jiff::Timestamp::now() + SignedDuration::from_hours(48)).await.unwrap();
    watch.pay(address(0xda), input(), 700, 1_100);
    scan_fresh(&scene, &watch, 1_100).await;
    scene.run_once().await;
    // It was returned, and the same amount was paid again between two scans.
    watch.put(address(0xda), input(), 0);
    watch.pay(address(0xda), input(), 700, 1_105);
    scan_fresh(&scene, &watch, 1_110).await;
    scan_fresh(&scene, &watch, 1_111).await;
    assert_eq!(arrivals(&scene).await[1..], [arrival(&scene, 700, 700, 1_110, Some("0xb1105"))], "once");
    scene.run_once().await;
    let id = format!("{:#x}", scene.terms.id());
    assert_eq!(scene.relayer.purposes(), [format!("giveback:{id}:1100"), format!("giveback:{id}:1110")]);
}

#[tokio::test]
async fn other_tokens_are_scanned_once_the_order_waits_no_more() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.pay(address(0xda), stray(), 33, 5);
    scan_fresh(&scene, &watch, 5).await;
    assert_eq!(arrivals(&scene).await, []);
    scene.show(scene.opened(7)).await;
    scene.run_once().await;
    scan_fresh(&scene, &watch, 9).await;
    let came = arrivals(&scene).await;
    assert_eq!(came.len(), 1);
    assert_eq!((came[0].token, came[0].balance), (stray(), raw(33)));
}

#[tokio::test]
async fn restart_records_nothing_twice() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    watch.pay(address(0xda), input(), 400, 5);
    for block in [5, 6, 7] {
        scan_fresh(&scene, &watch, block).await;
    }
    assert_eq!(arrivals(&scene).await.len(), 1);
}

#[tokio::test]
async fn failed_return_is_retried_later() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    scene.pass(OPEN_UNTIL + 1);
    scene.worker().run_once(jiff::Timestamp::now() + SignedDuration::from_hours(48)).await.unwrap();
    watch.pay(address(0xda), input(), AMOUNT_IN, 1_100);
    let feed = watch_feed_with(&scene, &watch, WatchPolicy { stuck_every: Duration::ZERO, ..POLICY });
    for block in [1_100, 1_101] {
        feed.finalize(block, Vec::new());
    }
    feed.processed().await;
    feed.end().await;
    let blocks: Vec<u64> = arrivals(&scene).await.iter().map(|arrival| arrival.block).collect();
    assert_eq!(blocks, [1_100, 1_101]);
    scene.run_once().await;
    assert_eq!(scene.relayer.purposes(), [format!("giveback:{:#x}:1101", scene.terms.id())]);
}

/// More orders for plain transfers, to addresses of their own.
async fn unpaid(scene: &Scene, addresses: impl IntoIterator<Item = u8>) {
    for byte in addresses {
        add_order(&scene.store, &scene.row_keys, |order| {
            order.method = DepositMethod::Transfer;
            order.deposit_address = Some(address(byte));
            order.terms.nonce = B256::repeat_byte(byte);
        })
        .await;
    }
}

#[tokio::test]
async fn scan_time_is_limited_and_every_address_is_covered() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    unpaid(&scene, 0x10..0x18).await;
    watch.pay(address(0x17), input(), 400, 5);
    // Without any time each scan covers one address.
    let feed = watch_feed_with(
        &scene,
        &watch,
        WatchPolicy { max_scan_time: Duration::ZERO, batch_size: 4, ..POLICY },
    );
    let seen = async || scene.store.arrivals(address(0x17)).await.unwrap().len();
    for block in 5..13 {
        feed.finalize(block, Vec::new());
    }
    feed.processed().await;
    assert_eq!(seen().await, 0, "eight scans cover the eight other addresses");
    feed.finalize(13, Vec::new());
    feed.processed().await;
    assert_eq!(seen().await, 1);
    feed.end().await;
}

#[tokio::test]
async fn address_whose_history_cannot_be_read_does_not_starve_its_page() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    unpaid(&scene, [0x10, 0x11]).await;
    for byte in [0xda, 0x10, 0x11] {
        watch.pay(address(byte), input(), 400, 5);
    }
    *watch.without_history.lock().unwrap() = Some(address(0xda));
    let feed = watch_feed_with(&scene, &watch, POLICY);
    for block in 5..8 {
        feed.finalize(block, Vec::new());
    }
    feed.processed().await;
    for byte in [0x10, 0x11] {
        assert_eq!(scene.store.arrivals(address(byte)).await.unwrap().len(), 1, "{byte:#x}");
    }
    assert_eq!(arrivals(&scene).await, []);
    *watch.without_history.lock().unwrap() = None;
    for block in 8..11 {
        feed.finalize(block, Vec::new());
    }
    feed.processed().await;
    assert_eq!(arrivals(&scene).await.len(), 1, "in a later pass");
    feed.end().await;
}

#[tokio::test]
async fn unreadable_address_does_not_block_others() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    unpaid(&scene, [0x10]).await;
    *watch.broken.lock().unwrap() = Some(address(0xda));
    watch.pay(address(0x10), input(), 400, 5);
    let feed = watch_feed_with(&scene, &watch, WatchPolicy { batch_size: 1, ..POLICY });
    for block in 5..8 {
        feed.finalize(block, Vec::new());
    }
    feed.processed().await;
    assert_eq!(scene.store.arrivals(address(0x10)).await.unwrap().len(), 1);
    watch.pay(address(0xda), input(), 300, 6);
    *watch.broken.lock().unwrap() = None;
    for block in 8..11 {
        feed.finalize(block, Vec::new());
    }
    feed.processed().await;
    assert_eq!(arrivals(&scene).await, [arrival(&scene, 300, 300, 9, Some("0xb6"))], "in the next pass");
    feed.end().await;
}

#[tokio::test]
async fn old_addresses_are_scanned_less_often() {
    let (scene, watch) = (Scene::transfer().await, Arc::new(FakeWatch::default()));
    scene.pass(OPEN_UNTIL + 1);
    scene.worker().run_once(jiff::Timestamp::now() + SignedDuration::from_hours(48)).await.unwrap();
    let every = Duration::from_millis(50);
    let policy = WatchPolicy { ended_every: every, recent_for: SignedDuration::ZERO, ..POLICY };
    let feed = watch_feed_with(&scene, &watch, policy);
    feed.finalize(1_099, Vec::new());
    feed.processed().await;
    watch.pay(address(0xda), input(), AMOUNT_IN, 1_100);
    tokio::time::sleep(every * 2).await;
    feed.finalize(1_100, Vec::new());
    feed.processed().await;
    assert_eq!(arrivals(&scene).await, []);
    tokio::time::sleep(every * 10).await;
    feed.finalize(1_101, Vec::new());
    feed.processed().await;
    assert_eq!(arrivals(&scene).await.len(), 1);
    feed.end().await;
}
