use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use causeway_domain::ports::{Hit, Screen, ScreenAsk, ScreenError};
use causeway_domain::{Address, RowKeys};
use causeway_store::Store;

use super::Screening;

/// Objects to one wallet, or is away.
pub(crate) struct Doorman {
    against: Option<Address>,
    is_away: bool,
    pub(crate) asked: Mutex<Vec<ScreenAsk>>,
}

#[async_trait]
impl Screen for Doorman {
    async fn screen(&self, ask: &ScreenAsk) -> Result<Option<Hit>, ScreenError> {
        self.asked.lock().unwrap().push(ask.clone());
        if self.is_away {
            return Err(ScreenError { by: "hook".to_owned(), reason: "it is away".to_owned() });
        }
        let wallet = self.against.filter(|wallet| ask.wallets.contains(wallet));
        let hit = |wallet| Hit { wallet: Some(wallet), by: "list".to_owned(), reason: "listed".to_owned() };
        Ok(wallet.map(hit))
    }
}

pub(crate) fn doorman(against: Option<Address>, is_away: bool) -> Arc<Doorman> {
    Arc::new(Doorman { against, is_away, asked: Mutex::default() })
}

pub(crate) fn screening(doorman: &Arc<Doorman>, store: &Arc<Store>) -> Arc<Screening> {
    Arc::new(Screening::new(doorman.clone(), store.clone(), Arc::new(RowKeys::new(1))))
}
