mod style;
mod strokes;
mod svg;
mod symbol;
pub use style::{Style, Theme};
pub use svg::svg;
mod error { #[derive(Debug)] pub struct Error; impl Error { pub(crate) fn over_capacity(_:&str)->Self{Error} } }
pub use error::Error;
