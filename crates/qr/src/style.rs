use crate::Error;
use crate::payload::filled;

/// How a code is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Width and height in pixels, quiet zone included.
    pub size: u16,
    /// The colours.
    pub theme: Theme,
    /// The quiet zone around the code, in modules.
    pub margin: u8,
}

impl Default for Style {
    fn default() -> Self {
        Self { size: 256, theme: Theme::Light, margin: 4 }
    }
}

impl Style {
    /// Reads the optional query parameters; one that is absent or blank has its default.
    pub fn from_query(
        size_px: Option<&str>,
        theme: Option<&str>,
        margin_modules: Option<&str>,
    ) -> Result<Self, Error> {
        let default = Self::default();
        Ok(Self {
            size: filled(size_px).and_then(size).unwrap_or(default.size),
            theme: filled(theme).map_or(Ok(default.theme), Theme::named)?,
            margin: filled(margin_modules).map_or(Ok(default.margin), margin)?,
        })
    }
}

/// Any number, however small, negative, fractional or large, clamped into 96 to 512 whole pixels; `None` for what is no
/// number.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before the cast")]
fn size(text: &str) -> Option<u16> {
    let number: f64 = text.trim().parse().ok()?;
    (!number.is_nan()).then(|| number.clamp(96.0, 512.0) as u16)
}

fn margin(text: &str) -> Result<u8, Error> {
    small_number(text).filter(|&margin| margin <= 16).ok_or(Error::Margin)
}

/// A number of plain digits; the standard parser would also take a plus sign.
pub(crate) fn small_number(text: &str) -> Option<u8> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The page on which a code is shown.
///
/// Modules are darker than their background in both, because many scanners do not read inverted codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Black on white.
    #[default]
    Light,
    /// Near-black on a muted panel that does not glare on a dark page.
    Dark,
}

impl Theme {
    fn named(name: &str) -> Result<Self, Error> {
        match name {
            "light" => Ok(Self::Light),
            "dark" => Ok(Self::Dark),
            _ => Err(Error::Theme),
        }
    }

    pub(crate) fn background(self) -> &'static str {
        match self {
            Self::Light => "#fff",
            Self::Dark => "#cbd5e1",
        }
    }

    pub(crate) fn modules(self) -> &'static str {
        match self {
            Self::Light => "#000",
            Self::Dark => "#0f172a",
        }
    }
}
