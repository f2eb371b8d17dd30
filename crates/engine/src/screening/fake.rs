use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use causeway_domain::ports::{Hit, Screen, ScreenError, ScreenRequest};
use causeway_domain::{Address, RowKeys};
use causeway_store::Store;

use super::Screening;

/// Refuses one wallet, or is unavailable.
pub(crate) struct FakeScreen {
    against: Option<Address>,
    is_away: bool,
    pub(crate) asked: Mutex<Vec<ScreenRequest>>,
}

#[async_trait]
impl Screen for FakeScreen {
    async fn screen(&self, ask: &ScreenRequest) -> Result<Option<Hit>, ScreenError> {
        self.asked.lock().unwrap().push(ask.clone());
        if self.is_away {
            return Err(ScreenError { by: "hook".to_owned(), reason: "it is away".to_owned() });
        }
        let wallet = self.against.filter(|wallet| ask.wallets.contains(wallet));
        let hit = |wallet| Hit { wallet: Some(wallet), by: "list".to_owned(), reason: "listed".to_owned() };
        Ok(wallet.map(hit))
    }
}

pub(crate) fn fake_screen(against: Option<Address>, is_away: bool) -> Arc<FakeScreen> {
    Arc::new(FakeScreen { against, is_away, asked: Mutex::default() })
}

pub(crate) fn screening(fake_screen: &Arc<FakeScreen>, store: &Arc<Store>) -> Arc<Screening> {
    Arc::new(Screening::new(fake_screen.clone(), store.clone(), Arc::new(RowKeys::new(1))))
}
