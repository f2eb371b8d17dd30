use alloy_primitives::{Address, B256, Bytes};
use causeway_domain::{ChainId, IntentTerms};
use serde::{Deserialize, Serialize};

use super::JournalEntry;
use crate::wire::AttestationJson;

/// The journal's version; other versions are rejected.
pub(super) const VERSION: u32 = 1;

/// A line's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Line {
    /// The first line of every journal.
    Begin {
        version: u32,
        attester: Address,
    },
    Signed(AttestationJson),
    Opened(Bytes),
    Ended(B256),
    Read {
        chain: u64,
        block: u64,
    },
}

impl Line {
    pub(super) fn new(entry: &JournalEntry) -> Self {
        match entry {
            JournalEntry::Signed(signed) => Self::Signed(AttestationJson::from(signed)),
            JournalEntry::Opened(terms) => Self::Opened(terms.to_bytes().into()),
            JournalEntry::Ended(order) => Self::Ended(*order),
            JournalEntry::Read { chain, block } => Self::Read { chain: chain.get(), block: *block },
        }
    }

    /// Whether its writer synced it, and all lines before it, to the disk.
    pub(super) const fn is_synced(&self) -> bool {
        matches!(self, Self::Begin { .. } | Self::Signed(_))
    }

    pub(super) fn entry(&self) -> Option<JournalEntry> {
        match self {
            Self::Begin { .. } => None,
            Self::Signed(signed) => signed.read().map(JournalEntry::Signed),
            Self::Opened(terms) => {
                IntentTerms::from_bytes(terms).map(|terms| JournalEntry::Opened(Box::new(terms)))
            }
            Self::Ended(order) => Some(JournalEntry::Ended(*order)),
            Self::Read { chain, block } => {
                ChainId::new(*chain).map(|chain| JournalEntry::Read { chain, block: *block })
            }
        }
    }

    /// Checksum, content, end of line.
    pub(super) fn encode(&self) -> Result<String, serde_json::Error> {
        let content = serde_json::to_string(self)?;
        Ok(format!("{:08x} {content}\n", crc32fast::hash(content.as_bytes())))
    }

    /// Decodes a line; `None` if it is torn or was changed.
    pub(super) fn decode(text: &[u8]) -> Option<Self> {
        let (checksum, content) = text.strip_suffix(b"\n")?.split_at_checked(9)?;
        let checksum = std::str::from_utf8(checksum).ok()?.strip_suffix(' ')?;
        let sound = u32::from_str_radix(checksum, 16).ok()? == crc32fast::hash(content);
        sound.then(|| serde_json::from_slice(content).ok())?
    }
}
