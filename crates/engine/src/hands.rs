use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use causeway_domain::ports::Hand;

/// The fillers' hands, by name. They may come and go while orders are worked on; clones share them.
#[derive(Clone, Default)]
pub struct Hands(Arc<ArcSwap<HashMap<String, Arc<dyn Hand>>>>);

impl Hands {
    pub fn get(&self, filler: &str) -> Option<Arc<dyn Hand>> {
        self.0.load().get(filler).cloned()
    }

    /// Puts a hand in place of the one that had its name.
    pub fn put(&self, hand: &Arc<dyn Hand>) {
        self.0.rcu(|hands| {
            let mut hands = HashMap::clone(hands);
            hands.insert(hand.name().to_owned(), Arc::clone(hand));
            hands
        });
    }

    pub fn remove(&self, filler: &str) {
        self.0.rcu(|hands| {
            let mut hands = HashMap::clone(hands);
            hands.remove(filler);
            hands
        });
    }
}

impl From<HashMap<String, Arc<dyn Hand>>> for Hands {
    fn from(hands: HashMap<String, Arc<dyn Hand>>) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(hands)))
    }
}

impl fmt::Debug for Hands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.load().keys()).finish()
    }
}
