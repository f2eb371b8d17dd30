use std::fmt;

use async_trait::async_trait;
use causeway_domain::ports::{Hit, Screen, ScreenError, ScreenRequest};

/// Runs several screenings in order; the first hit decides. An empty chain accepts every order.
#[derive(Default)]
pub struct ScreenChain(Vec<Box<dyn Screen>>);

impl ScreenChain {
    pub const fn new(screens: Vec<Box<dyn Screen>>) -> Self {
        Self(screens)
    }
}

#[async_trait]
impl Screen for ScreenChain {
    async fn screen(&self, request: &ScreenRequest) -> Result<Option<Hit>, ScreenError> {
        for screen in &self.0 {
            if let Some(hit) = screen.screen(request).await? {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }
}

impl fmt::Debug for ScreenChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ScreenChain").field(&self.0.len()).finish()
    }
}
