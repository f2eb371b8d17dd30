use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use causeway_domain::ports::OrderExecutor;

/// The fillers' executors by name. They can be added and removed at run time; clones share the same registry.
#[derive(Clone, Default)]
pub struct ExecutorRegistry(Arc<ArcSwap<HashMap<String, Arc<dyn OrderExecutor>>>>);

impl ExecutorRegistry {
    pub fn get(&self, filler: &str) -> Option<Arc<dyn OrderExecutor>> {
        self.0.load().get(filler).cloned()
    }

    /// Registers an executor, replacing the one with the same name.
    pub fn put(&self, executor: &Arc<dyn OrderExecutor>) {
        self.0.rcu(|executors| {
            let mut executors = HashMap::clone(executors);
            executors.insert(executor.name().to_owned(), Arc::clone(executor));
            executors
        });
    }

    pub fn remove(&self, filler: &str) {
        self.0.rcu(|executors| {
            let mut executors = HashMap::clone(executors);
            executors.remove(filler);
            executors
        });
    }
}

impl From<HashMap<String, Arc<dyn OrderExecutor>>> for ExecutorRegistry {
    fn from(executors: HashMap<String, Arc<dyn OrderExecutor>>) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(executors)))
    }
}

impl fmt::Debug for ExecutorRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.load().keys()).finish()
    }
}
