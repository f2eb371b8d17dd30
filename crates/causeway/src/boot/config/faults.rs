use std::fmt;

/// Everything that is wrong with a configuration, told at once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Faults(Vec<String>);

/// Notes a fault unless the condition holds.
macro_rules! demand {
    ($faults:expr, $condition:expr, $($words:tt)+) => {
        if !$condition {
            $faults.add(format!($($words)+));
        }
    };
}
pub(super) use demand;

impl Faults {
    pub(super) fn add(&mut self, words: String) {
        self.0.push(words);
    }

    /// Notes what a check found, and returns what it made.
    pub(super) fn check<T>(&mut self, checked: anyhow::Result<T>) -> Option<T> {
        match checked {
            Ok(made) => Some(made),
            Err(error) => {
                match error.downcast::<Self>() {
                    Ok(Self(several)) => self.0.extend(several),
                    Err(error) => self.add(format!("{error:#}")),
                }
                None
            }
        }
    }

    pub(super) fn into_words(self) -> Vec<String> {
        self.0
    }

    pub(super) fn end(self) -> anyhow::Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(self.into()) }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [one] => f.write_str(one),
            several => {
                write!(f, "{} faults:", several.len())?;
                several.iter().try_for_each(|words| write!(f, "\n  {words}"))
            }
        }
    }
}

impl std::error::Error for Faults {}
