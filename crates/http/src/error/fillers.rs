use causeway_engine::RegistryError;

use super::ApiError;

impl From<RegistryError> for ApiError {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Store(error) => error.into(),
            RegistryError::Unknown(_) => Self::not_found(sentence(&error)),
            _ => Self::bad_request(sentence(&error)),
        }
    }
}

fn sentence(error: &RegistryError) -> String {
    let text = error.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
