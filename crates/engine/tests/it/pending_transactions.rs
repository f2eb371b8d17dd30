use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::TxSender;
use causeway_engine::poll_pending_transactions;
use tokio_util::sync::CancellationToken;

use crate::fakes::FakeTxSender;
use crate::scene::{DESTINATION, ORIGIN, chain};

#[tokio::test(start_paused = true)]
async fn every_sender_is_polled_despite_failures() {
    let senders = [ORIGIN, DESTINATION].map(|id| FakeTxSender::new(chain(id)));
    let (stop, all) = (CancellationToken::new(), senders.clone().map(|one| one as Arc<dyn TxSender>));
    let task = tokio::spawn(poll_pending_transactions(all.to_vec(), Duration::from_secs(1), stop.clone()));
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    stop.cancel();
    task.await.unwrap();
    for sender in senders {
        assert_eq!(*sender.polls.lock().unwrap(), 4, "at once and every second");
    }
}
