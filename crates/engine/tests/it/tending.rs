use std::sync::Arc;
use std::time::Duration;

use causeway_domain::ports::Carrier;
use causeway_engine::tend_carriers;
use tokio_util::sync::CancellationToken;

use crate::fakes::FakeCarrier;
use crate::scene::{DESTINATION, ORIGIN, chain};

#[tokio::test(start_paused = true)]
async fn every_carrier_is_tended_every_turn_although_chains_are_away() {
    let carriers = [ORIGIN, DESTINATION].map(|id| FakeCarrier::new(chain(id)));
    let (stop, all) = (CancellationToken::new(), carriers.clone().map(|one| one as Arc<dyn Carrier>));
    let task = tokio::spawn(tend_carriers(all.to_vec(), Duration::from_secs(1), stop.clone()));
    tokio::time::sleep(Duration::from_millis(3_500)).await;
    stop.cancel();
    task.await.unwrap();
    for carrier in carriers {
        assert_eq!(*carrier.tended.lock().unwrap(), 4, "at once, and each second");
    }
}
