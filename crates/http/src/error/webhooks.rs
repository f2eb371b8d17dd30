use causeway_engine::WebhookDeskError;
use causeway_wire::Issue;

use super::ApiError;

impl From<WebhookDeskError> for ApiError {
    fn from(error: WebhookDeskError) -> Self {
        let issue = |path: &str| {
            let message = error.to_string();
            Self::validation(&[Issue { path: path.to_owned(), message }])
        };
        match error {
            WebhookDeskError::Address(_) => issue("url"),
            WebhookDeskError::Taken(_) | WebhookDeskError::Configured(_) => issue("name"),
            WebhookDeskError::NotFound(ref name) => Self::not_found(format!(
                "There is no webhook endpoint `{name}`. `causeway webhooks list` tells those that there are."
            )),
            WebhookDeskError::Wrong(cause) => Self::internal(&cause),
            WebhookDeskError::Store(cause) => cause.into(),
        }
    }
}
