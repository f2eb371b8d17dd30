use std::sync::Arc;

use anyhow::Context as _;
use causeway_domain::RowKeys;
use causeway_domain::ports::Screen;
use causeway_engine::Screening;
use causeway_screening::{DenyFile, Hook, HookConfig, ScreenChain};
use causeway_store::Store;

use crate::boot::config::ScreeningConfig;

/// The screening of orders before they are created, if configured.
pub(crate) fn screening(
    config: &ScreeningConfig,
    store: &Arc<Store>,
    row_keys: &Arc<RowKeys>,
) -> anyhow::Result<Option<Arc<Screening>>> {
    let mut screens: Vec<Box<dyn Screen>> = Vec::new();
    if let Some(path) = &config.deny_list {
        let file = DenyFile::open(path.clone());
        screens.push(Box::new(file.with_context(|| {
            format!("the deny list of screening.deny_list, {}, cannot be used", path.display())
        })?));
    }
    if let Some(url) = &config.hook_url {
        let secret = config.hook_secret.as_ref().map(|secret| secret.reveal().to_owned());
        let hook =
            Hook::new(HookConfig { url: url.expose().to_owned(), secret, timeout: config.hook_timeout() });
        screens.push(Box::new(hook.context("the hook of screening.hook_url cannot be used")?));
    }
    if screens.is_empty() {
        return Ok(None);
    }
    let screen = Arc::new(ScreenChain::new(screens));
    Ok(Some(Arc::new(Screening::new(screen, store.clone(), Arc::clone(row_keys)))))
}
