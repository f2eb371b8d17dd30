use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use causeway_domain::FiatOrderId;

/// The purchases that this process looks at now, each once, whether or not it became due again meanwhile: two looks at once
/// would both draw up a swap for the same money.
#[derive(Debug, Default)]
pub(super) struct Busy(Mutex<HashMap<FiatOrderId, bool>>);

impl Busy {
    /// Whether the caller may look now; if not, whoever looks is going to look again.
    pub(super) fn begin(&self, id: &FiatOrderId) -> bool {
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match looks.get_mut(id) {
            Some(again) => {
                *again = true;
                false
            }
            None => looks.insert(id.clone(), false).is_none(),
        }
    }

    /// Whether the purchase wants another look at once; else the look is over.
    pub(super) fn end(&self, id: &FiatOrderId) -> bool {
        let mut looks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let again = looks.get_mut(id).is_some_and(std::mem::take);
        if !again {
            looks.remove(id);
        }
        again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purchase_is_looked_at_once_at_a_time_and_again_when_it_became_due_meanwhile() {
        let (busy, id) = (Busy::default(), FiatOrderId::random().unwrap());
        assert!(busy.begin(&id));
        assert!(!busy.begin(&id));
        assert!(busy.end(&id), "it became due meanwhile");
        assert!(!busy.begin(&id), "the second look is still going on");
        assert!(busy.end(&id));
        assert!(!busy.end(&id));
        assert!(busy.begin(&id));
    }
}
