use causeway_engine::IntegratorError;
use causeway_wire::Issue;

use super::{ApiError, ErrorChain};

impl From<IntegratorError> for ApiError {
    fn from(error: IntegratorError) -> Self {
        let issue = |path: &str| {
            let message = error.to_string();
            Self::validation(&[Issue { path: path.to_owned(), message }])
        };
        match error {
            IntegratorError::Name(_) | IntegratorError::Taken(_) => issue("name"),
            IntegratorError::NoScope => issue("scopes"),
            IntegratorError::Fee => issue("feeBps"),
            IntegratorError::NoReferrer | IntegratorError::TwoReferrers => issue("referrers"),
            IntegratorError::Time => issue("expiresInSeconds"),
            IntegratorError::Unknown(_) | IntegratorError::NoKey { .. } => {
                Self::not_found(format!("{}. `causeway integrator list` shows them.", capitalized(&error)))
            }
            IntegratorError::TwoValid(_) => Self::bad_request(format!("{}.", capitalized(&error))),
            IntegratorError::Randomness(_) => Self::internal(&ErrorChain(&error)),
            IntegratorError::Store(error) => error.into(),
        }
    }
}

fn capitalized(error: &IntegratorError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
