/// Why a code was not drawn; each message says what to change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Required parameters are absent or blank.
    #[error("missing from the query: {}", .0.join(", "))]
    Missing(Vec<&'static str>),

    /// The amount is not a plain decimal number.
    #[error(
        "amount must be a plain decimal number such as 1 or 1.23: digits, then optionally a point and more \
         digits, without sign, exponent, separator, space or superfluous leading zero"
    )]
    MalformedAmount,

    /// The amount is finer than the token's smallest unit, and rounding would change what is paid.
    #[error(
        "amount has {fraction} digits after the point but the token has {decimals} decimals: shorten the \
         amount or correct decimals"
    )]
    TooPrecise {
        /// Digits after the point.
        fraction: usize,
        /// Decimals of the token.
        decimals: u8,
    },

    /// The amount in base units does not fit 256 bits.
    #[error("amount is too large: counted in the token's smallest unit it must fit 256 bits")]
    AmountTooLarge,

    /// The number of decimals is not an integer from 0 to 36.
    #[error("decimals must be a whole number from 0 to 36")]
    Decimals,

    /// The payload is longer than is allowed, or than any QR code holds.
    #[error("too long for a QR code: the payload has {length} {unit}, the limit is {limit}")]
    TooLong {
        /// How long the payload is.
        length: usize,
        /// How long it may be.
        limit: usize,
        /// What was counted, characters or bytes.
        unit: &'static str,
    },

    /// The theme is unknown.
    #[error("theme must be light or dark")]
    Theme,

    /// The margin is not an integer from 0 to 16.
    #[error("margin must be a whole number of modules from 0 to 16")]
    Margin,
}
