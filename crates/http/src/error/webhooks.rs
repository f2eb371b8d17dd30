use causeway_engine::WebhookAdminError;
use causeway_wire::Issue;

use super::ApiError;

impl From<WebhookAdminError> for ApiError {
    fn from(error: WebhookAdminError) -> Self {
        let issue = |path: &str| {
            let message = error.to_string();
            Self::validation(&[Issue { path: path.to_owned(), message }])
        };
        match error {
            WebhookAdminError::Address(_) => issue("url"),
            WebhookAdminError::Taken(_) | WebhookAdminError::Configured(_) => issue("name"),
            WebhookAdminError::NotFound(ref name) => Self::not_found(format!(
                "There is no webhook endpoint `{name}`. `causeway webhooks list` shows the existing ones."
            )),
            WebhookAdminError::Invalid(cause) => Self::internal(&cause),
            WebhookAdminError::Store(cause) => cause.into(),
        }
    }
}
