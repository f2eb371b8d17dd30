use std::fmt;

use async_trait::async_trait;
use causeway_domain::ports::{Hit, Screen, ScreenAsk, ScreenError};

/// Several screenings, asked one after the other; the first that objects decides. Without any, nobody objects.
#[derive(Default)]
pub struct All(Vec<Box<dyn Screen>>);

impl All {
    pub const fn new(screens: Vec<Box<dyn Screen>>) -> Self {
        Self(screens)
    }
}

#[async_trait]
impl Screen for All {
    async fn screen(&self, ask: &ScreenAsk) -> Result<Option<Hit>, ScreenError> {
        for screen in &self.0 {
            if let Some(hit) = screen.screen(ask).await? {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }
}

impl fmt::Debug for All {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("All").field(&self.0.len()).finish()
    }
}
