use alloy_primitives::Bytes;
use causeway_domain::ChainId;
use causeway_domain::ports::ChainError;
use thiserror::Error;

use crate::revert::revert_words;

/// What a call to a chain can come to, with more than a port tells.
#[derive(Clone, Debug, Error)]
pub enum CallError {
    /// Every endpoint failed; the text names each host and its fault.
    #[error("chain {chain} does not answer: {faults}")]
    Unavailable { chain: ChainId, faults: String },
    /// The chain's own refusal; asking again does not help.
    #[error("chain {chain} refused: {message}")]
    Refused { chain: ChainId, code: i64, message: String, data: Option<Bytes> },
    /// An answer that does not fit the question.
    #[error("chain {chain} answered nonsense: {message}")]
    Nonsense { chain: ChainId, message: String },
    /// Endpoints contradict each other about something final.
    #[error("endpoints of chain {chain} disagree: {message}")]
    Disagreement { chain: ChainId, message: String },
}

impl CallError {
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Nonsense { .. })
    }

    /// Whether the chain would answer the same question about fewer blocks.
    pub fn asks_for_less(&self) -> bool {
        const WORDS: [&str; 9] = [
            "block range",
            "range too",
            "query returned more than",
            "too many results",
            "too many logs",
            "larger than",
            "response size",
            "limited to",
            "exceeds the range",
        ];
        let Self::Refused { message, .. } = self else { return false };
        let message = message.to_lowercase();
        WORDS.iter().any(|words| message.contains(words))
    }

    /// Whether the chain refused with words that contain one of these, whatever their case.
    pub(crate) fn refused_with(&self, words: &[&str]) -> bool {
        let Self::Refused { message, .. } = self else { return false };
        let message = message.to_lowercase();
        words.iter().any(|word| message.contains(word))
    }
}

impl From<CallError> for ChainError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Unavailable { chain, .. } => Self::Unavailable(chain),
            CallError::Refused { chain, message, data, .. } => {
                Self::Refused(chain, data.as_ref().and_then(|data| revert_words(data)).unwrap_or(message))
            }
            CallError::Nonsense { chain, message } => Self::Nonsense(chain, message),
            CallError::Disagreement { chain, message } => Self::Disagreement(chain, message),
        }
    }
}
