/// What a payer should know before paying. A severe one needs the payer's yes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub code: WarningCode,
    pub severity: Severity,
    /// The field of the request that it is about.
    pub field: Option<&'static str>,
    /// A sentence or two for people.
    pub message: String,
}

/// The kinds of warnings. Clients accept severe ones by these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarningCode {
    /// The output is worth less at the market's prices than the fees explain.
    PriceImpact,
    /// Fees take a large share of the input.
    HighFees,
    /// A token looks like a well-known one and is another.
    LookalikeToken,
    /// The slippage tolerance is unusually large, or too small to succeed.
    UnusualSlippage,
    /// An address that would be paid is the contract of a token.
    TokenContract,
    /// Nobody can move what arrives at an address that would be paid.
    NoWayOut,
    /// An address that would be paid is a contract on the other chain, and nothing is deployed there on the chain of payment.
    ContractElsewhere,
}

impl WarningCode {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PriceImpact => "PRICE_IMPACT",
            Self::HighFees => "HIGH_FEES",
            Self::LookalikeToken => "LOOKALIKE_TOKEN",
            Self::UnusualSlippage => "UNUSUAL_SLIPPAGE",
            Self::TokenContract => "TOKEN_CONTRACT",
            Self::NoWayOut => "NO_WAY_OUT",
            Self::ContractElsewhere => "CONTRACT_ELSEWHERE",
        }
    }
}

/// How much a warning matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Info,
    /// To be shown.
    Warning,
    /// Not without the payer's yes.
    Severe,
}

impl Severity {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Severe => "severe",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_are_named_and_ordered_by_how_much_they_matter() {
        let severities = [Severity::Info, Severity::Warning, Severity::Severe];
        assert!(severities.is_sorted());
        assert_eq!(severities.map(Severity::as_str), ["info", "warning", "severe"]);
    }
}
